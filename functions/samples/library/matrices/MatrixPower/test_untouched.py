matrix = [[1, 1], [1, 0]]
MatrixPower(matrix, 5)
assert matrix == [[1, 1], [1, 0]]
