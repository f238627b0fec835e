a, b = [[1, 2], [3, 4]], [[0, 1], [1, 0]]
log(f"a b = {MatrixProduct(a, b)}, b a = {MatrixProduct(b, a)}")
assert MatrixProduct(a, b) == [[2, 1], [4, 3]]
assert MatrixProduct(b, a) == [[3, 4], [1, 2]]
