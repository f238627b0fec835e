assert ParseExpression("-2 ^ 2") == ("-", ("^", 2, 2))
assert ParseExpression("-2 * 3") == ("*", ("-", 2), 3)
assert ParseExpression("2 ^ -1") == ("^", 2, ("-", 1))
assert ParseExpression("1 - -1") == ("-", 1, ("-", 1))
