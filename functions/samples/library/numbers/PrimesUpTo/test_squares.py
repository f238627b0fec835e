assert 25 not in PrimesUpTo(25)
assert 49 not in PrimesUpTo(49)
assert PrimesUpTo(49)[-1] == 47
