"""A short selection of what `make chaos` does."""
