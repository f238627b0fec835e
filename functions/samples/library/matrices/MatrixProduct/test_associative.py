a, b, c = [[1, 2], [0, -1]], [[3, 0], [5, 7]], [[2, 2], [-4, 1]]
left = MatrixProduct(MatrixProduct(a, b), c)
right = MatrixProduct(a, MatrixProduct(b, c))
assert left == right
