import pytest


@pytest.mark.parametrize("text", ["ten", "nan", "inf", "1.2.3", "--1", ".", "e5", "0x10", "٣", "1e", "<b>", "1" * 5 + "x" * 500])
def test_no_number(text):
    with pytest.raises(ValueError, match="is no number") as refused:
        ReadNumber(text)
    assert len(str(refused.value)) < 80


@pytest.mark.parametrize("text", ["", "  "])
def test_nothing(text):
    with pytest.raises(ValueError, match="Type a number"):
        ReadNumber(text)


def test_no_limit():
    for text in ("1e101", "9" * 400, "1e999"):
        with pytest.raises(ValueError, match="too large"):
            ReadNumber(text)
    for text in ("1e-101", "1e-999"):
        with pytest.raises(ValueError, match="too small"):
            ReadNumber(text)
    assert ReadNumber("1" + "0" * 99) == 1e99
