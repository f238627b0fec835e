"""Runs programs safely and streams what happens; knows nothing of the product above it."""
