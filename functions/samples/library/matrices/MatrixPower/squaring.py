# As with numbers, <<MatrixProduct>> in place of a product and
# <<IdentityMatrix>> in place of one. Uses <<Halve>> and <<IsOdd>>.
def MatrixPower(matrix, exponent):
    if exponent < 0:
        raise ValueError("the exponent must not be negative")
    if any(len(row) != len(matrix) for row in matrix):
        raise ValueError("only a square matrix has powers")
    result = IdentityMatrix(len(matrix))
    while exponent:
        if IsOdd(exponent):
            result = MatrixProduct(result, matrix)
        exponent = Halve(exponent)
        if exponent:
            matrix = MatrixProduct(matrix, matrix)
    return result
