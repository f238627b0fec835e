"""Acceptance tests."""
