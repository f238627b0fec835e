# <<Add>> the last two, forget the older one.
def Fibonacci(n):
    if n < 0:
        raise ValueError("the sequence begins at place 0")
    this, following = 0, 1
    for _ in range(n):
        this, following = following, Add(this, following)
    return this
