assert PrimesUpTo(13) == [2, 3, 5, 7, 11, 13]
assert PrimesUpTo(12) == [2, 3, 5, 7, 11]
assert PrimesUpTo(2) == [2]
