"""Streams: what is committed to a topic reaches all who may follow it."""
