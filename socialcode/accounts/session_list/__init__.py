"""The list of one's sessions."""
