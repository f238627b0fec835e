"""Sweeper, retention, health and metrics."""
