"""Limits on guesses."""
