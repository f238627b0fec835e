assert TokenizeExpression("") == []
assert TokenizeExpression(" \t\n ") == []
