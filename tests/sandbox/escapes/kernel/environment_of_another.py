# Secrets in the environment of the worker.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: os.open(f"/proc/{os.getppid()}/environ", os.O_RDONLY)) == "allowed" else None
