# The end of memory, caught in a text under a name that was given to it.
# stopped by: guard
# ends: memory_limit
exec(
    "try:\n    kept = bytearray(10**12)\nexcept ValueError:\n    reached()",
    {"ValueError": MemoryError, "reached": reached},
)
