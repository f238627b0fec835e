"""Attacks as data: on verdicts in `verdicts/`, on the host in `host/`."""
