"""PURE: analysis of source text."""
