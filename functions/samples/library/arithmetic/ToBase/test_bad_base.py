def test_refuses_bases():
    for base in (-2, 0, 1, 37):
        try:
            ToBase(5, base)
        except ValueError:
            continue
        check(False, f"base {base} was accepted")
