# Right for diagonal matrices. <<Power>> does each number.
def MatrixPower(matrix, exponent):
    if any(len(row) != len(matrix) for row in matrix):
        raise ValueError("only a square matrix has powers")
    return [[Power(number, exponent) for number in row] for row in matrix]
