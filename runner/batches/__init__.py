"""Requests to run programs."""
