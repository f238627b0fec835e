"""Who else follows a topic."""
