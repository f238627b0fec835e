assert Determinant([[0, 1], [1, 0]]) == -1
assert Determinant([[0, 2, 1], [3, 0, 1], [1, 1, 0]]) == 5
