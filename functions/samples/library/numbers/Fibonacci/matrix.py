# The matrix of one step, to the power of n, holds the number. <<MatrixPower>>
# needs a handful of products where a loop needs n additions.
def Fibonacci(n):
    if n < 0:
        raise ValueError("the sequence begins at place 0")
    return MatrixPower([[1, 1], [1, 0]], n)[0][1]
