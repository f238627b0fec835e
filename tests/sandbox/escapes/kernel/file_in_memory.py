# A file that isn't anywhere, to be executed.
# stopped by: kernel
# ends: refused
reached() if attempt(lambda: os.memfd_create("x")) == "allowed" else None
raise LookupError
