for n in range(30):
    assert Square(n + 1) - Square(n) == 2 * n + 1, f"gap after {n}"
