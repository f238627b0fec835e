# More memory than there is.
# stopped by: supervisor
# ends: memory_limit
x = [0]
while True:
    x *= 2
