for text, expected in (
    ("2 + 3 * 4", 14),
    ("(2 + 3) * 4", 20),
    ("2 * (3 + 4) ^ 2", 98),
):
    value = EvaluateExpression(text)
    log(f"{text} = {value}")
    assert value == expected
