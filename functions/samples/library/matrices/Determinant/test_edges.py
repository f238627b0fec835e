def test_no_rows():
    assert Determinant([]) == 1


def test_not_square():
    try:
        Determinant([[1, 2, 3], [4, 5, 6]])
    except ValueError:
        return
    check(False, "a rectangle was accepted")
