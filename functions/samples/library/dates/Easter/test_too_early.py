def test_too_early():
    try:
        Easter(1582)
    except ValueError:
        return
    check(False, "1582 was accepted")
