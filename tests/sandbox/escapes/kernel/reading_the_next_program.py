# What else is sent through the pipe: nothing ever is.
# stopped by: kernel
# ends: refused
def read():
    os.set_blocking(3, False)
    return os.read(3, 1000)


reached() if attempt(read) == "allowed" else None
raise LookupError
