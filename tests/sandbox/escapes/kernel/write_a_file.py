# Leaving something behind.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: os.open("/tmp/left", os.O_CREAT | os.O_WRONLY)) == "allowed" else None
