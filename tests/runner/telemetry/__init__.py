"""Logs and tracebacks."""
