"""What follows from changes of accounts, and from signing in and out."""
