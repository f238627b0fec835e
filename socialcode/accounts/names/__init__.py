"""Rules for user names."""
