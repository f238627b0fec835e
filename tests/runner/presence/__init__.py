"""Presence."""
