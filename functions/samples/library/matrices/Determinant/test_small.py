assert Determinant([[5]]) == 5
assert Determinant([[1, 2], [3, 4]]) == -2
assert Determinant([[2, 0, 1], [1, 3, 2], [1, 1, 4]]) == 18
