"""Benchmarks: one file each, every one prints a table and writes its figures as JSON."""
