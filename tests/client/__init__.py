"""The client, as whoever has installed it uses it."""
