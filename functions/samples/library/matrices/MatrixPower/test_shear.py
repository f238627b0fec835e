assert MatrixPower([[1, 3], [0, 1]], 10) == [[1, 30], [0, 1]]
