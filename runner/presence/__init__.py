"""Presence: who else follows a topic."""
