def test_negative_count():
    try:
        RunLengthDecode([("a", -1)])
    except ValueError:
        return
    check(False, "a run of -1 was accepted")
