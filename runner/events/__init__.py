"""Numbered topics and their log."""
