assert DotProduct([3, 4], [-4, 3]) == 0
assert DotProduct([], []) == 0
