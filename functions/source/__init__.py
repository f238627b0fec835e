"""PURE: what the text of code says."""
