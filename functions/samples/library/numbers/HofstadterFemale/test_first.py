assert [HofstadterFemale(n) for n in range(12)] == [1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 7]
