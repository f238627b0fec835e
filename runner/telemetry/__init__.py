"""Counters, incidents, tracebacks and log lines, written by all."""
