# <<Multiply>> by the factorial below. Elegant, but every step waits on the
# stack for the one below it, and the stack has an end.
def Factorial(n):
    if n < 0:
        raise ValueError("negative numbers have no factorial")
    if n == 0:
        return 1
    return Multiply(Factorial(n - 1), n)
