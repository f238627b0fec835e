"""Who depends on whom: algorithms, rows, cached closures."""
