"""Topics and their events."""
