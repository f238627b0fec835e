big = 10**12 + 1
assert DotProduct([big, 1], [big, 1]) == 10**24 + 2 * 10**12 + 2
