# A connection to the database beside.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: socket.socket(socket.AF_UNIX)) == "allowed" else None
