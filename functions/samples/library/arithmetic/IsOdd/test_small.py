assert [IsOdd(n) for n in range(6)] == [False, True, False, True, False, True]
