import pytest


def test_limits():
    assert RomanNumeral(3999).startswith("MMM")
    for n in (0, -1, 4000):
        with pytest.raises(ValueError):
            RomanNumeral(n)
