assert Square(-7) == 49
assert Square(-1) == 1
