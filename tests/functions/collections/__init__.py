"""Collections and their items."""
