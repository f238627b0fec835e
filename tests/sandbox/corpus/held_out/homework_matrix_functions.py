"""Lab 4: matrices as lists of lists, no numpy allowed."""

def zeros(rows, cols):
    return [[0 for j in range(cols)] for i in range(rows)]

def print_matrix(m, title=""):
    if title:
        print(title)
    for row in m:
        print("|", end="")
        for x in row:
            print("%8.3f" % x, end=" ")
        print("|")
    print()

def multiply(a, b):
    if len(a[0]) != len(b):
        raise ValueError("dimension mismatch: {0}x{1} times {2}x{3}".format(len(a), len(a[0]), len(b), len(b[0])))
    c = zeros(len(a), len(b[0]))
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                c[i][j] += a[i][k] * b[k][j]
    return c

def transpose(m):
    return list(map(list, zip(*m)))

def minor(m, i, j):
    return [row[:j] + row[j + 1:] for row in (m[:i] + m[i + 1:])]

def det(m):
    if len(m) == 1:
        return m[0][0]
    total = 0
    for c in range(len(m)):
        total += (-1) ** c * m[0][c] * det(minor(m, 0, c))
    return total

def inverse(m):
    n = len(m)
    aug = [row[:] + [float(i == j) for j in range(n)] for i, row in enumerate(m)]
    for col in range(n):
        pivot = max(range(col, n), key=lambda r: abs(aug[r][col]))
        if abs(aug[pivot][col]) < 1e-12:
            raise ZeroDivisionError("singular matrix")
        aug[col], aug[pivot] = aug[pivot], aug[col]
        p = aug[col][col]
        aug[col] = [x / p for x in aug[col]]
        for r in range(n):
            if r != col:
                f = aug[r][col]
                aug[r] = [x - f * y for x, y in zip(aug[r], aug[col])]
    return [row[n:] for row in aug]

def identity(n):
    m = zeros(n, n)
    for i in range(n):
        m[i][i] = 1
    return m

def power(m, n):
    result = identity(len(m))
    while n > 0:
        if n % 2 == 1:
            result = multiply(result, m)
        m = multiply(m, m)
        n //= 2
    return result

A = [[2, 1, 3], [0, -1, 4], [1, 2, 5]]
print_matrix(A, "A =")
print_matrix(transpose(A), "A^T =")
assert det(A) == -19, det(A)
inv = inverse(A)
print_matrix(inv, "A^-1 =")
prod = multiply(A, inv)
assert all(abs(prod[i][j] - (1 if i == j else 0)) < 1e-9 for i in range(3) for j in range(3))
assert power([[1, 1], [1, 0]], 50)[0][1] == 12586269025
try:
    multiply(A, [[1, 2]])
except ValueError as e:
    print("Caught:", e)
try:
    inverse([[1, 2], [2, 4]])
except ZeroDivisionError as e:
    print("Caught:", e)
g = zeros(2, 2)
g[0][0] = 7
assert g == [[7, 0], [0, 0]]
