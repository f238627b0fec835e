"""Elections."""
