"""A toy of a units library: quantities know their dimension."""
import math
import re
from collections import Counter
from fractions import Fraction


class DimensionError(TypeError):
    pass


class Quantity:
    __slots__ = ("value", "dims")
    symbols = {}

    def __init__(self, value, dims=()):
        self.value = value
        self.dims = {k: v for k, v in dict(dims).items() if v}

    @classmethod
    def unit(cls, symbol, factor=1, dims=None):
        q = cls(factor, {symbol: 1} if dims is None else dims)
        cls.symbols[symbol] = q
        return q

    def __mul__(self, other):
        if not isinstance(other, Quantity):
            return Quantity(self.value * other, self.dims)
        c = Counter(self.dims)
        c.update(other.dims)
        return Quantity(self.value * other.value, c)

    __rmul__ = __mul__

    def __pow__(self, n):
        return Quantity(self.value ** n, {k: v * n for k, v in self.dims.items()})

    def __truediv__(self, other):
        if isinstance(other, Quantity):
            return self * other ** -1
        return Quantity(self.value / other, self.dims)

    def __rtruediv__(self, other):
        return other * self ** -1

    def _same(self, other):
        if not isinstance(other, Quantity) or other.dims != self.dims:
            raise DimensionError("%s vs %s" % (self, other))

    def __add__(self, other):
        self._same(other)
        return Quantity(self.value + other.value, self.dims)

    def __sub__(self, other):
        return self + -1 * other

    def __eq__(self, other):
        self._same(other)
        return math.isclose(self.value, other.value)

    def __hash__(self):
        return hash((self.value, frozenset(self.dims.items())))

    def __gt__(self, other):
        self._same(other)
        return self.value > other.value

    def to(self, unit):
        u = parse(unit)
        self._same(u)
        return self.value / u.value

    def __repr__(self):
        dims = "·".join(k if v == 1 else f"{k}^{v}" for k, v in sorted(self.dims.items()))
        return f"{self.value:g} {dims}".rstrip()


def parse(text):
    result = Quantity(1)
    sign = 1
    for num, name, exp, op in re.findall(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z]+)(?:\^(-?\d+))?|([*/]))", text):
        if op:
            sign = 1 if op == "*" else -1
            continue
        q = Quantity(float(num)) if num else Quantity.symbols[name] ** int(exp or 1)
        result = result * q ** sign
        sign = 1
    return result


m, s, kg = map(Quantity.unit, ("m", "s", "kg"))
km = Quantity.unit("km", 1000, m.dims)
h = Quantity.unit("h", 3600, s.dims)
mile = Quantity.unit("mi", 1609.344, m.dims)
N = Quantity.unit("N", 1, (kg * m / s ** 2).dims)

speed = 90 * km / h
print(speed, N, 3 * m * m)
assert speed == 25 * m / s
assert round(speed.to("mi/h"), 2) == 55.92
assert parse("2 kg * m / s^2") == 2 * N
assert (6 * m) / (3 * m) == Quantity(2.0)
assert km > mile / 2 and (km - 999 * m) == 1 * m
assert repr(1 / s) == "1 s^-1"
assert (4 * m ** 2) ** Fraction(1, 2) == 2 * m
for f in (lambda: m + s, lambda: m == 3, lambda: (3 * kg).to("km")):
    try:
        f()
    except DimensionError as e:
        print("DimensionError:", e)
