"""What is stored about an account: its export to the person, and its deletion."""
