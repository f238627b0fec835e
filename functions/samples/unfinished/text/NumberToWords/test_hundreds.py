def test_hundreds():
    assert NumberToWords(100) == "one hundred"
    assert NumberToWords(342) == "three hundred and forty-two"
    assert NumberToWords(999) == "nine hundred and ninety-nine"
