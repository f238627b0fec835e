"""Views of pages, one noun a file; each loads, checks, calls one use case and responds."""
