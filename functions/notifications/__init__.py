"""Watches, notices and their delivery."""
