# Divides by what it finds on the diagonal. Even if that is zero.
from fractions import Fraction


def Determinant(matrix):
    if any(len(row) != len(matrix) for row in matrix):
        raise ValueError("only a square matrix has a determinant")
    rows = [list(row) for row in matrix]
    product = 1
    for step, row in enumerate(rows):
        for other in rows[step + 1 :]:
            factor = Fraction(other[step]) / row[step]
            for column in range(step, len(rows)):
                other[column] -= factor * row[column]
        product *= row[step]
    return int(product)
