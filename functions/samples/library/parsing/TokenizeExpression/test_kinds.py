tokens = TokenizeExpression("12 +7")
assert len(tokens) == 3
first, second, third = tokens
assert (first.kind, first.column) == ("number", 1)
assert (second.kind, second.column) == ("symbol", 4)
assert (third.kind, third.column) == ("number", 5)
