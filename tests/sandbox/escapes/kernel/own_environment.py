# Secrets in one's own environment.
# stopped by: kernel
# ends: passed
reached(dict(os.environ)) if any("DATABASE" in name or "SECRET" in name for name in os.environ) else None
