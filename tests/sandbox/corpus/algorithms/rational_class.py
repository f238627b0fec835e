"""Rational numbers from scratch, compared with the standard ones."""
from fractions import Fraction
from functools import total_ordering
from math import gcd
import operator


@total_ordering
class Rational:
    __slots__ = ("__num", "__den")

    def __init__(self, num=0, den=1):
        if isinstance(num, str):
            num, _, den = num.partition("/")
            num, den = int(num), int(den or 1)
        if den == 0:
            raise ZeroDivisionError("Rational(%s, 0)" % num)
        if den < 0:
            num, den = -num, -den
        g = gcd(num, den)
        self.__num = num // g
        self.__den = den // g

    @property
    def numerator(self):
        return self.__num

    @property
    def denominator(self):
        return self.__den

    def __add__(self, other):
        other = self.__of(other)
        return Rational(self.__num * other.__den + other.__num * self.__den, self.__den * other.__den)

    def __mul__(self, other):
        other = self.__of(other)
        return Rational(self.__num * other.__num, self.__den * other.__den)

    def __sub__(self, other):
        return self + -self.__of(other)

    def __rsub__(self, other):
        return self.__of(other) - self

    def __truediv__(self, other):
        return self * ~self.__of(other)

    def __rtruediv__(self, other):
        return self.__of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return Rational(-self.__num, self.__den)

    def __invert__(self):
        return Rational(self.__den, self.__num)

    def __abs__(self):
        return -self if self < 0 else self

    def __pow__(self, n):
        if n < 0:
            return (~self) ** -n
        return Rational(self.__num ** n, self.__den ** n)

    def __eq__(self, other):
        other = self.__of(other)
        return (self.__num, self.__den) == (other.__num, other.__den)

    def __lt__(self, other):
        other = self.__of(other)
        return self.__num * other.__den < other.__num * self.__den

    def __hash__(self):
        return hash((self.__num, self.__den))

    def __float__(self):
        return self.__num / self.__den

    def __int__(self):
        return int(self.__num / self.__den)

    def __floor__(self):
        return self.__num // self.__den

    def __str__(self):
        return str(self.__num) if self.__den == 1 else "{0}/{1}".format(self.__num, self.__den)

    def __repr__(self):
        return "Rational({0.numerator}, {0.denominator})".format(self)

    @staticmethod
    def __of(value):
        return value if isinstance(value, Rational) else Rational(value)


def egyptian(r):
    """Greedy sum of different unit fractions."""
    while r.numerator:
        unit = Rational(1, -(-r.denominator // r.numerator))
        yield unit
        r -= unit


def bernoulli(n):
    a = [0] * (n + 1)
    for m in range(n + 1):
        a[m] = Rational(1, m + 1)
        for j in range(m, 0, -1):
            a[j - 1] = j * (a[j - 1] - a[j])
    return a[0]


half, third = Rational(1, 2), Rational("2/6")
assert half + third == Rational(5, 6) and str(half - third) == "1/6"
assert 1 - half == half and 2 / third == 6 and third ** -2 == 9
assert sorted([half, third, Rational(-1), Rational(3)]) == [-1, third, half, 3]
assert repr(~third) == "Rational(3, 1)" and float(half) == 0.5 and int(Rational(-7, 2)) == -3
assert abs(Rational(-3, 4)) == Rational(3, 4) and half >= third
for op in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq):
    for a, b in [((3, 7), (-2, 5)), ((9, 4), (3, 8))]:
        mine, theirs = op(Rational(*a), Rational(*b)), op(Fraction(*a), Fraction(*b))
        assert str(mine) == str(theirs), (op, a, b)
assert [str(u) for u in egyptian(Rational(43, 48))] == ["1/2", "1/3", "1/16"]
assert str(bernoulli(12)) == "-691/2730"
try:
    half / 0
except ZeroDivisionError as exc:
    print(exc, "and", " + ".join(map(str, egyptian(Rational(5, 121)))))
