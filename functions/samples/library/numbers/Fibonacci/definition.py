# Asks for the same numbers over and over: the calls grow as the numbers do.
# Uses <<Add>>.
def Fibonacci(n):
    if n < 0:
        raise ValueError("the sequence begins at place 0")
    if n < 2:
        return n
    return Add(Fibonacci(n - 1), Fibonacci(n - 2))
