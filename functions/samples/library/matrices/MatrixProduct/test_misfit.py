def test_misfit():
    try:
        MatrixProduct([[1, 2, 3]], [[1], [2]])
    except ValueError:
        return
    check(False, "three columns can't meet two rows")
