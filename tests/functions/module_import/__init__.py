"""Imports of modules."""
