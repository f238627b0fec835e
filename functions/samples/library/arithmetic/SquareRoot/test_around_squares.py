def test_around_large_squares():
    for root in (10**6, 94_906_267, 10**17 + 3):
        square = root * root
        log(f"around {square}")
        assert SquareRoot(square - 1) == root - 1
        assert SquareRoot(square) == root
        assert SquareRoot(square + 1) == root
