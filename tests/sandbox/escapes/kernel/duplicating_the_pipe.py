# The pipe under another number.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: os.dup2(3, 1)) == "allowed" and attempt(lambda: os.write(1, b"x")) == "allowed" else None
