"""Management commands of the machinery."""
