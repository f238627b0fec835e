assert ParseExpression("1 + 2 * 3") == ("+", 1, ("*", 2, 3))
assert ParseExpression("1 * 2 + 3") == ("+", ("*", 1, 2), 3)
assert ParseExpression("(1 + 2) * 3") == ("*", ("+", 1, 2), 3)
