"""Drafts, definitions, publication."""
