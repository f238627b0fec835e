# The definition that everybody learns; n! products. Fine for small ones.
def Determinant(matrix):
    if any(len(row) != len(matrix) for row in matrix):
        raise ValueError("only a square matrix has a determinant")
    if not matrix:
        return 1
    total, sign = 0, 1
    for column, number in enumerate(matrix[0]):
        minor = [row[:column] + row[column + 1 :] for row in matrix[1:]]
        total += sign * number * Determinant(minor)
        sign = -sign
    return total
