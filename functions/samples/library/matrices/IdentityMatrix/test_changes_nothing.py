# Multiplied by <<MatrixProduct>>.
matrix = [[2, -3], [5, 7]]
assert MatrixProduct(matrix, IdentityMatrix(2)) == matrix
assert MatrixProduct(IdentityMatrix(2), matrix) == matrix
