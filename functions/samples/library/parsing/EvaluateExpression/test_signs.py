assert EvaluateExpression("-2 ^ 2") == -4
assert EvaluateExpression("(-2) ^ 2") == 4
assert EvaluateExpression("2 ^ 3 ^ 2") == 512
assert EvaluateExpression("-7 / 2") == -4
assert EvaluateExpression("-7 % 3") == 2
