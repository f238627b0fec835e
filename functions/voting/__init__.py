"""Votes and their tallies."""
