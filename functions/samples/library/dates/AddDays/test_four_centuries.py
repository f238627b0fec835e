later = AddDays((1600, 3, 1), 146_097)
log(f"four centuries later: {later}")
assert later == (2000, 3, 1)
