# A table that grows by what it holds.
# stopped by: supervisor
# ends: memory_limit
x = {}
while True:
    x[len(x)] = bytes(1_000_000)
