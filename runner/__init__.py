"""The machinery: sandbox, batches and streams; it knows nothing of the product above it."""
