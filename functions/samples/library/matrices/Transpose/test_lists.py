result = Transpose([[1, 2], [3, 4]])
assert isinstance(result, list)
assert all(isinstance(row, list) for row in result)
