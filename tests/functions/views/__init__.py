"""Pages as they are rendered."""
