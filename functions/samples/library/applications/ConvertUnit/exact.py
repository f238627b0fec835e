"""Exact fractions until the end. Uses <<UnitTable>>."""

import math
from fractions import Fraction

_UNITS = {
    unit["symbol"]: (unit, quantity["title"])
    for quantity in UnitTable.values()
    for unit in quantity["units"]
}


def ConvertUnit(value, source, target):
    if not math.isfinite(value):
        raise ValueError("That is no number that can be converted.")
    (one, what), (other, other_what) = _find(source), _find(target)
    if what != other_what:
        raise ValueError(f"{source} is a unit of {what.lower()}, {target} one of {other_what.lower()}.")
    base = (_exact(value) + _exact(one.get("shift", 0))) * _scale(one)
    if what == "Temperature" and base < 0:
        raise ValueError("Nothing is colder than 0 K, which is −273.15 °C.")
    try:
        return float(base / _scale(other) - _exact(other.get("shift", 0)))
    except OverflowError:
        raise ValueError("The result is too large.") from None


def _find(symbol):
    if symbol not in _UNITS:
        raise ValueError(f"There is no unit {symbol}.")
    return _UNITS[symbol]


def _exact(number):
    return Fraction(str(number))


def _scale(unit):
    return _exact(unit["factor"]) / _exact(unit.get("divisor", 1))
