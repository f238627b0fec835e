"""Batches: requests to run programs, and their tasks."""
