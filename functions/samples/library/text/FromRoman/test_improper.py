def test_improper():
    for text in ("", "IIII", "VX", "IC", "IXIX", "XX II", "HELLO"):
        try:
            number = FromRoman(text)
        except ValueError:
            continue
        check(False, f"{text!r} was read as {number}")
