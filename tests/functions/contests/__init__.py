"""Contests."""
