"""Views of pages, one noun per file; each loads, checks, calls one use case and responds."""
