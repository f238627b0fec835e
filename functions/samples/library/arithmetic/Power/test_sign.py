assert Power(-2, 5) == -32
assert Power(-2, 6) == 64
