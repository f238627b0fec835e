"""Rules for user names: not reserved, and not similar to another user's."""
