def test_from_nought_to_twenty():
    found = [NumberToWords(n) for n in (0, 7, 10, 11, 12, 13, 15, 18, 20)]
    assert found == (
        "zero seven ten eleven twelve thirteen fifteen eighteen twenty".split()
    )
