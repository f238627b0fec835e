matrix = [[1, 2], [3, 4]]
assert Transpose(matrix) == [[1, 3], [2, 4]]
assert matrix == [[1, 2], [3, 4]]
