assert IsOdd(-3) is True
assert IsOdd(-1) is True
assert IsOdd(-2) is False
