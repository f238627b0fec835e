assert IdentityMatrix(3) == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
