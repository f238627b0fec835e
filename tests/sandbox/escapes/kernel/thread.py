# A thread that goes on while the verdict is written.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: threading.Thread(target=print).start()) == "allowed" else None
