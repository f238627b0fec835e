"""Questions about people's source, answered in confined processes."""
