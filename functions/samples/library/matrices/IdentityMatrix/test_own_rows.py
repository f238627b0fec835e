matrix = IdentityMatrix(3)
matrix[0][1] = 9
assert matrix[1] == [0, 1, 0]
assert matrix[2] == [0, 0, 1]
