assert IsOdd(10**30 + 1) is True
assert IsOdd(10**30) is False
