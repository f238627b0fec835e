assert Totient(8) == 4
assert Totient(72) == 24
assert Totient(81) == 54
