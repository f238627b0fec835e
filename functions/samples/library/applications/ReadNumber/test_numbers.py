import pytest


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("42", 42),
        (" 1.5 ", 1.5),
        ("1,5", 1.5),
        ("-40", -40),
        ("−40", -40),
        (".5", 0.5),
        ("12 000.25", 12000.25),
        ("12\u202f000", 12000),
        ("1e3", 1000),
        ("2E-6", 0.000002),
        ("0", 0),
    ],
)
def test_numbers(text, number):
    assert ReadNumber(text) == number
