"""Tools for language models."""
