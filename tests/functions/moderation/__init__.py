"""Owners and staff."""
