assert IdentityMatrix(1) == [[1]]
assert IdentityMatrix(0) == []
