"""Signing up, in and out, with Django's own accounts."""
