roots = [SquareRoot(n) for n in range(17)]
assert roots == [0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4]
