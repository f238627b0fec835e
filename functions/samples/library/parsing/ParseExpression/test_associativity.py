assert ParseExpression("9 - 3 - 2") == ("-", ("-", 9, 3), 2)
assert ParseExpression("8 / 4 % 3") == ("%", ("/", 8, 4), 3)
assert ParseExpression("2 ^ 3 ^ 2") == ("^", 2, ("^", 3, 2))


def test_equally_strong_operators():
    assert ParseExpression("7 + 2 - 1") == ("-", ("+", 7, 2), 1)
    assert ParseExpression("2 * 6 / 4") == ("/", ("*", 2, 6), 4)
    assert ParseExpression("2 + 7 % 4") == ("+", 2, ("%", 7, 4))
