"""Stored templates of documents."""
