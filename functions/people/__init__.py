"""What people say about themselves."""
