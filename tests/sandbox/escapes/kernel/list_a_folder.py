# What files there are.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: os.listdir("/")) == "allowed" else None
