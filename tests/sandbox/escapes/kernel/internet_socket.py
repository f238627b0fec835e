# A connection to anybody.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: socket.socket(socket.AF_INET)) == "allowed" else None
