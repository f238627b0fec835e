import pytest


def test_a_comma_before_three_digits():
    with pytest.raises(ValueError, match="1000 or 1.000"):
        ReadNumber("1,000")


def test_a_comma_before_others():
    assert ReadNumber("1,25") == 1.25
    assert ReadNumber("0,125") == 0.125
