assert [HofstadterMale(n) for n in range(12)] == [0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7]
