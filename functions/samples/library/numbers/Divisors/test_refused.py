def test_refused():
    for n in (0, -6):
        try:
            Divisors(n)
        except ValueError:
            continue
        check(False, f"{n} was accepted")
