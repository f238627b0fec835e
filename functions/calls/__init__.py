"""Calls of current implementations."""
