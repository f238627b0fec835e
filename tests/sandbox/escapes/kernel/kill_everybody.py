# All that may be signalled.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: os.kill(-1, signal.SIGKILL)) == "allowed" else None
