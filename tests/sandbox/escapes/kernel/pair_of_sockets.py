# A pair of sockets, to pass descriptors.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: socket.socketpair()) == "allowed" else None
