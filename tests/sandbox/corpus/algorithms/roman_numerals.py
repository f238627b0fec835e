"""Roman numerals as a kind of integer."""

from __future__ import annotations

import re


class RomanError(ValueError):
    pass


class Roman(int):
    """
    An integer between 1 and 3999 that shows itself in letters.

    >>> Roman("XIV") + 1
    Roman('XV')
    >>> f"{Roman(1999)}"
    'MCMXCIX'
    """

    _TABLE = (
        ("M", 1000), ("CM", 900), ("D", 500), ("CD", 400),
        ("C", 100), ("XC", 90), ("L", 50), ("XL", 40),
        ("X", 10), ("IX", 9), ("V", 5), ("IV", 4), ("I", 1),
    )
    _VALID = re.compile(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})", re.I)

    def __new__(cls, value: int | str) -> Roman:
        if isinstance(value, str):
            value = cls._read(value)
        if not 1 <= value <= 3999:
            raise RomanError(f"{value} is out of range")
        return super().__new__(cls, value)

    @classmethod
    def _read(cls, text: str) -> int:
        if not text or not cls._VALID.fullmatch(text):
            raise RomanError(f"not a roman numeral: {text!r}")
        values = [dict(cls._TABLE)[letter] for letter in text.upper()]
        total = 0
        for here, after in zip(values, [*values[1:], 0]):
            total += -here if here < after else here
        return total

    def __str__(self) -> str:
        rest, letters = int(self), []
        for symbol, value in self._TABLE:
            times, rest = divmod(rest, value)
            letters.append(symbol * times)
        return "".join(letters)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __format__(self, spec: str) -> str:
        if spec.endswith("d"):
            return format(int(self), spec)
        return format(str(self), spec)

    def __add__(self, other):
        return Roman(int(self) + int(other))

    def __sub__(self, other):
        return Roman(int(self) - int(other))

    def __mul__(self, other):
        return Roman(int(self) * int(other))

    def __floordiv__(self, other):
        return Roman(int(self) // int(other))

    def __mod__(self, other):
        return Roman(int(self) % int(other))

    __radd__ = __add__
    __rmul__ = __mul__


def test_round_trip():
    for n in range(1, 4000, 7):
        assert Roman._read(str(Roman(n))) == n


def test_known():
    known = {1990: "MCMXC", 2008: "MMVIII", 1666: "MDCLXVI", 4: "IV", 944: "CMXLIV"}
    for number, text in known.items():
        assert str(Roman(number)) == text and Roman(text.lower()) == number


def test_arithmetic():
    assert repr(Roman("IX") + Roman("I")) == "Roman('X')"
    assert Roman(7) * 6 == 42 and str(3 + Roman(2)) == "V"
    assert sum([Roman(1), Roman(2)], Roman(3)) == Roman("VI")
    assert Roman("X") > Roman("IX") and max(map(Roman, "I V X L".split())) == 50
    assert f"{Roman(12):>6}|{Roman(12):04d}" == "   XII|0012"
    assert {Roman(5): "five"}[5] == "five" and isinstance(Roman(1), int)


def test_errors():
    for bad in ("IIII", "VX", "", "hello", "IC", 0, 4000, -3):
        try:
            Roman(bad)
        except RomanError:
            continue
        raise AssertionError(f"accepted {bad!r}")
    try:
        Roman("I") - Roman("I")
    except ValueError as e:
        assert "out of range" in str(e)


if __name__ == "__main__":
    for test in (test_round_trip, test_known, test_arithmetic, test_errors):
        test()
    print(*(Roman(n) for n in (1, 1910, 1954, 3999)))
