import pytest


@pytest.mark.parametrize("n", [-1, 1000, 10**9])
def test_limits(n):
    with pytest.raises(ValueError):
        NumberToWords(n)
