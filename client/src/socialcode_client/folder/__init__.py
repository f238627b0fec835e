"""Folders of ordinary Python files, pulled from a site and pushed back to it."""
