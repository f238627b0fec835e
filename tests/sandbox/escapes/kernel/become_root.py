# Another user.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: os.setuid(0)) == "allowed" and os.getuid() == 0 and False else None
