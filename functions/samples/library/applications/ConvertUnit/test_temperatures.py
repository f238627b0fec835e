import math


def near(one, other):
    return math.isclose(one, other, abs_tol=1e-9)


def test_fixed_points():
    for celsius, fahrenheit, kelvin in ((0, 32, 273.15), (100, 212, 373.15), (-40, -40, 233.15)):
        assert near(ConvertUnit(celsius, "°C", "°F"), fahrenheit)
        assert near(ConvertUnit(fahrenheit, "°F", "°C"), celsius)
        assert near(ConvertUnit(celsius, "°C", "K"), kelvin)


def test_absolute_zero():
    assert near(ConvertUnit(0, "K", "°C"), -273.15)
    try:
        ConvertUnit(-300, "°C", "°F")
    except ValueError as error:
        assert "colder than 0 K" in str(error)
    else:
        assert False, "-300 °C is too cold"
