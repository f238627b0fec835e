"""Counters, incidents, tracebacks and log lines; used by all other packages."""
