"""Changes of documents."""
