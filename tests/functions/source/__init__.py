"""The text of code."""
