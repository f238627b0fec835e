assert ParseExpression("9 - 3 - 2") == ("-", ("-", 9, 3), 2)
assert ParseExpression("8 / 4 % 3") == ("%", ("/", 8, 4), 3)
assert ParseExpression("2 ^ 3 ^ 2") == ("^", 2, ("^", 3, 2))
