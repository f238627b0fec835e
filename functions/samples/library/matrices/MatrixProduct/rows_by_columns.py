# <<Transpose>> turns columns into rows; each <<DotProduct>> is one number,
# and refuses what doesn't fit.
def MatrixProduct(a, b):
    columns = Transpose(b)
    return [[DotProduct(row, column) for column in columns] for row in a]
