"""Names of accounts."""
