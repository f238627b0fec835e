# Claiming what ends a run as badly.
# stopped by: nothing to gain
# ends: memory_limit
raise MemoryError
