def test_refused():
    for matrix, exponent in (([[1, 2]], 2), ([[1]], -1)):
        try:
            MatrixPower(matrix, exponent)
        except ValueError:
            continue
        check(False, f"{matrix} to the power of {exponent} was accepted")
