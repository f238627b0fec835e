"""Fixtures that more than one area uses."""
