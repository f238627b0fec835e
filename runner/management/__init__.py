"""Management commands of the machinery, and their helpers."""
