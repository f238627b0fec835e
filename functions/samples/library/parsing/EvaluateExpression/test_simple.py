assert EvaluateExpression("7") == 7
assert EvaluateExpression("20 + 22") == 42
assert EvaluateExpression("9 - 3 - 2") == 4
assert EvaluateExpression("6 * 7") == 42
assert EvaluateExpression("85 / 2") == 42
