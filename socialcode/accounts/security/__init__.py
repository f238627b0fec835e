"""Limits on guesses, and the security log."""
