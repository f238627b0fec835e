first = [Fibonacci(n) for n in range(11)]
assert first == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55]
