"""Programs: their canonical form, keys and sources."""
