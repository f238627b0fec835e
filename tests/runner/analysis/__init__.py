"""Analyses of source."""
