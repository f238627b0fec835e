"""Runs programs in a sandbox and streams events; independent of the product above it."""
