"""Stored templates of documents: their use cases."""
