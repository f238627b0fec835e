assert IsSorted([]) is True
assert IsSorted([7]) is True
