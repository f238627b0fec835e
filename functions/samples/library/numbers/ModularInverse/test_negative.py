assert ModularInverse(-3, 7) == 2
assert ModularInverse(10, 7) == 5
assert ModularInverse(10, 1) == 0
