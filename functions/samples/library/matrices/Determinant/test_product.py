# Multiplied by <<MatrixProduct>>.
a = [[10**9, 1, 0], [7, 10**9, 2], [0, 3, 1]]
b = [[1, 2, 3], [0, 1, 4], [5, 6, 0]]
log(f"{Determinant(a)} times {Determinant(b)}")
assert Determinant(MatrixProduct(a, b)) == Determinant(a) * Determinant(b)
