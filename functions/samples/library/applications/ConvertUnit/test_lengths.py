import math


def test_definitions():
    assert math.isclose(ConvertUnit(1, "mi", "km"), 1.609344)
    assert math.isclose(ConvertUnit(2.54, "cm", "in"), 1)
    assert math.isclose(ConvertUnit(36, "km/h", "m/s"), 10)


def test_there_and_back():
    for value in (0, -3.5, 1e-30, 123456789.123):
        assert math.isclose(ConvertUnit(ConvertUnit(value, "ft", "au"), "au", "ft"), value)


def test_the_same_unit():
    assert ConvertUnit(7, "kg", "kg") == 7
