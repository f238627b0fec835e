def Transpose(matrix):
    if not matrix:
        return []
    width = len(matrix[0])
    if any(len(row) != width for row in matrix):
        raise ValueError("the rows have different lengths")
    return [[row[column] for row in matrix] for column in range(width)]
