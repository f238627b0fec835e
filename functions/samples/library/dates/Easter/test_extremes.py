assert Easter(1818) == (3, 22)
assert Easter(1943) == (4, 25)
assert Easter(2038) == (4, 25)
