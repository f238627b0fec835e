"""The dependency graph: algorithms, queries and cached closures."""
