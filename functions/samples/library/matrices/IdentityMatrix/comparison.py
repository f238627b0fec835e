def IdentityMatrix(size):
    return [
        [int(row == column) for column in range(size)] for row in range(size)
    ]
