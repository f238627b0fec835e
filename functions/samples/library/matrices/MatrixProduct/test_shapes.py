assert MatrixProduct([[1, 2, 3]], [[4], [5], [6]]) == [[32]]
assert MatrixProduct([[1], [2]], [[3, 4]]) == [[3, 4], [6, 8]]
