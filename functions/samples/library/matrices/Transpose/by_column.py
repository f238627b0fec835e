def Transpose(matrix):
    return [list(column) for column in zip(*matrix, strict=True)]
