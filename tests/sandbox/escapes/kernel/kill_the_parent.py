# The zygote, so that nobody runs anything.
# stopped by: kernel
# ends: passed
reached() if attempt(lambda: os.kill(os.getppid(), signal.SIGKILL)) == "allowed" else None
