assert [Square(n) for n in range(8)] == [0, 1, 4, 9, 16, 25, 36, 49]
