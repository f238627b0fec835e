"""Votes."""
