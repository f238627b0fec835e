def test_unknown_character():
    for text, column in (("1 + x", 5), ("2 $ 3", 3), ("1.5", 2), ("7 ²", 3)):
        try:
            TokenizeExpression(text)
        except ValueError as error:
            check(f"column {column}" in str(error), str(error))
            continue
        check(False, f"{text!r} was accepted")
