"""Pages: one noun a file; each loads, asks, calls one use case and answers."""
