for n in range(2, 16):
    assert Fibonacci(n) == Fibonacci(n - 1) + Fibonacci(n - 2)
