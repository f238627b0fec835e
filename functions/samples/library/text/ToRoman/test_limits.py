def test_limits():
    for n in (0, -1, 4000):
        try:
            ToRoman(n)
        except ValueError:
            continue
        check(False, f"{n} was accepted")
