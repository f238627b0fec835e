"""Releases of functions, and the index that serves them."""
