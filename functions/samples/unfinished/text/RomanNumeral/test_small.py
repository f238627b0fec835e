def test_from_one_to_ten():
    found = [RomanNumeral(n) for n in range(1, 11)]
    assert found == ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"]
