"""Changes of documents: revisions by authors, competing works by others, and their versions."""
