def test_nonsense():
    for text, column in (
        ("", 1),
        ("1 +", 4),
        ("(1", 3),
        ("1)", 2),
        ("1 2", 3),
        ("* 2", 1),
        ("()", 2),
    ):
        try:
            tree = ParseExpression(text)
        except ValueError as error:
            log(f"{text!r}: {error}")
            check(f"column {column}" in str(error), f"{text!r}: {error}")
            continue
        check(False, f"{text!r} became {tree}")
