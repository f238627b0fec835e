n = 1
for _ in range(100):
    n = Double(n)
log(f"after a hundred doublings: {n}")
assert n == 2**100
