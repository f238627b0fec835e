# A limit, raised again.
# stopped by: kernel
# ends: passed
import resource

reached() if attempt(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))) == "allowed" else None
