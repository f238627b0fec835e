def test_refuses_negative_numbers():
    for n in (-1, -4):
        try:
            SquareRoot(n)
        except ValueError:
            continue
        check(False, f"SquareRoot({n}) must raise ValueError")
