import pytest


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (float("nan"), 1), (0, float("inf"))])
def test_refused(low, high):
    with pytest.raises(ValueError):
        NiceTicks(low, high)
