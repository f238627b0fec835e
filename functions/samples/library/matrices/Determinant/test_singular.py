assert Determinant([[1, 2], [2, 4]]) == 0
assert Determinant([[1, 2, 3], [4, 5, 6], [7, 8, 9]]) == 0
assert Determinant([[0, 0], [0, 0]]) == 0
