assert ChineseRemainder([], []) == 0
assert ChineseRemainder([10], [4]) == 2
assert ChineseRemainder([-1, -1], [4, 9]) == 35
