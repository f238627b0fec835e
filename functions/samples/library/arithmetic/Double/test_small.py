assert [Double(n) for n in (-3, -1, 0, 1, 21)] == [-6, -2, 0, 2, 42]
