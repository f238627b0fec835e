# The process's own memory as a file, by which read-only memory could be written.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: os.open("/proc/self/mem", os.O_RDWR)) == "allowed" else None
