"""Programs, their sources and their results."""
