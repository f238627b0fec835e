# Bareiss: every division (<<Divide>>) comes out even, so nothing but
# integers is needed. Uses <<Multiply>>, <<Subtract>> and <<Negate>>.
def Determinant(matrix):
    size = len(matrix)
    if any(len(row) != size for row in matrix):
        raise ValueError("only a square matrix has a determinant")
    rows = [list(row) for row in matrix]
    sign, previous = 1, 1
    for step in range(size - 1):
        pivot_row = next((r for r in range(step, size) if rows[r][step]), None)
        if pivot_row is None:
            return 0
        if pivot_row != step:
            rows[step], rows[pivot_row] = rows[pivot_row], rows[step]
            sign = Negate(sign)
        pivot = rows[step][step]
        for r in range(step + 1, size):
            for c in range(step + 1, size):
                straight = Multiply(rows[r][c], pivot)
                across = Multiply(rows[r][step], rows[step][c])
                rows[r][c] = Divide(Subtract(straight, across), previous)
        previous = pivot
    return Multiply(sign, rows[-1][-1]) if rows else 1
