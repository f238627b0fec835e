"""Elections: triggers, decisions, standings, and cascades to dependents."""
