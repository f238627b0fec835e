"""The graph of dependencies."""
