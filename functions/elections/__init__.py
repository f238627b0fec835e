"""When elections are held, what they change, and whom that reaches."""
