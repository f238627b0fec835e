# A list within a list, and so on: showing it recurses.
# stopped by: supervisor
# ends: refused
x = []
for _ in range(100_000):
    x = [x]
repr(x)
