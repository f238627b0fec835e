"""Start pages of staff."""
