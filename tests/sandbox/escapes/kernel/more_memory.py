# The limit of memory, raised again.
# stopped by: kernel
# ends: passed
import resource

most = resource.RLIM_INFINITY
reached() if attempt(lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))) == "allowed" else None
