assert [Factorial(n) for n in range(7)] == [1, 1, 2, 6, 24, 120, 720]
