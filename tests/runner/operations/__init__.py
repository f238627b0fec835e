"""Sweeper, retention, health."""
