def test_no_rows():
    assert Transpose([]) == []


def test_ragged():
    try:
        Transpose([[1, 2], [3]])
    except ValueError:
        return
    check(False, "a row is shorter, and nobody minded")
