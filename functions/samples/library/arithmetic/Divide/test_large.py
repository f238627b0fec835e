assert Divide(10**30 + 7, 10) == 10**29
assert Divide(10**40, 3) == int("3" * 40)
