# Another process's memory without tracing it.
# stopped by: kernel
# ends: refused
reached() if attempt(lambda: system_call(310, os.getppid(), 0, 0, 0, 0, 0)) == "allowed" else None
raise LookupError
