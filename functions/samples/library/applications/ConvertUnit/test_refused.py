import pytest


@pytest.mark.parametrize(
    ("value", "source", "target", "said"),
    [
        (1, "parsec", "km", "parsec"),
        (1, "km", "", ""),
        (1, "km", "kg", "kg"),
        (float("nan"), "km", "m", ""),
        (float("inf"), "km", "m", ""),
        (1e308, "au", "mm", "too large"),
    ],
)
def test_refused(value, source, target, said):
    with pytest.raises(ValueError) as refused:
        ConvertUnit(value, source, target)
    assert said in str(refused.value)
