assert MatrixPower([[7, 8], [9, 1]], 0) == [[1, 0], [0, 1]]
assert MatrixPower([[7, 8], [9, 1]], 1) == [[7, 8], [9, 1]]
