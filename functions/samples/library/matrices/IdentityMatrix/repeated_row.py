# Multiplying a list repeats the row itself, not a copy of it: one row of
# zeros that is there many times.
def IdentityMatrix(size):
    matrix = [[0] * size] * size
    for place in range(size):
        matrix[place][place] = 1
    return matrix
