# A process that outlives this one.
# stopped by: kernel
# ends: passed
reached() if attempt(os.fork) == "allowed" else None
