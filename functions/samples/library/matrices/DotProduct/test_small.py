assert DotProduct([1, 2, 3], [4, 5, 6]) == 32
assert DotProduct([2], [-7]) == -14
