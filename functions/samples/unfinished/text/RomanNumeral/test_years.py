def test_years():
    assert RomanNumeral(1994) == "MCMXCIV"
    assert RomanNumeral(2026) == "MMXXVI"
    assert RomanNumeral(1666) == "MDCLXVI"
