"""Ordinary programs, as tables: what the sandbox must run as plain Python does."""
