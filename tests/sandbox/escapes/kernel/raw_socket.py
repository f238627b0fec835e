# The kernel's own tables by netlink.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)) == "allowed" else None
