"""Password checks with limits on guesses and on concurrent hashing."""
