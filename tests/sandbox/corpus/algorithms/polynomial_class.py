from itertools import zip_longest
import re


class Poly:
    """Polynomials in x with the coefficients from the constant up."""

    def __init__(self, *coefficients):
        coefficients = list(coefficients)
        while coefficients and coefficients[-1] == 0:
            coefficients.pop()
        self.c = tuple(coefficients)

    TERM = re.compile(r"([+-]?)\s*(\d*)\s*\*?\s*(x?)(?:\^(\d+))?")

    @classmethod
    def parse(cls, text):
        powers = {}
        for sign, digits, x, power in cls.TERM.findall(text.replace(" ", "")):
            if not (digits or x):
                continue
            exponent = int(power) if power else len(x)
            value = int(digits or 1) * (-1 if sign == "-" else 1)
            powers[exponent] = powers.get(exponent, 0) + value
        return cls(*(powers.get(i, 0) for i in range(max(powers, default=-1) + 1)))

    @staticmethod
    def _lift(other):
        return other if isinstance(other, Poly) else Poly(other)

    @property
    def degree(self):
        return len(self.c) - 1

    def __add__(self, other):
        return Poly(*(a + b for a, b in zip_longest(self.c, self._lift(other).c, fillvalue=0)))

    __radd__ = __add__

    def __neg__(self):
        return Poly(*(-a for a in self.c))

    def __sub__(self, other):
        return self + -self._lift(other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        other = self._lift(other)
        out = [0] * (len(self.c) + len(other.c))
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                out[i + j] += a * b
        return Poly(*out)

    __rmul__ = __mul__

    def __pow__(self, n):
        out = Poly(1)
        for _ in range(n):
            out *= self
        return out

    def __divmod__(self, other):
        if not other:
            raise ZeroDivisionError("polynomial division by zero")
        rest, quotient = self, Poly()
        while rest.degree >= other.degree:
            factor, wrong = divmod(rest.c[-1], other.c[-1])
            if wrong:
                raise ArithmeticError("not exact over the integers")
            term = Poly(*[0] * (rest.degree - other.degree), factor)
            quotient += term
            rest -= term * other
        return quotient, rest

    def __floordiv__(self, other):
        return divmod(self, other)[0]

    def __mod__(self, other):
        return divmod(self, other)[1]

    def __bool__(self):
        return bool(self.c)

    def __eq__(self, other):
        if isinstance(other, (Poly, int, float)):
            return self.c == self._lift(other).c
        return NotImplemented

    def __hash__(self):
        return hash(self.c)

    def __call__(self, x):
        value = 0
        for a in reversed(self.c):
            value = value * x + a
        return value

    def derivative(self):
        return Poly(
            *[i * a for i, a in enumerate(self.c)][1:])

    def __str__(self):
        parts = []
        for power, a in reversed(list(enumerate(self.c))):
            if a:
                size = "" if abs(a) == 1 and power else str(abs(a))
                x = {0: "", 1: "x"}.get(power, f"x^{power}")
                parts.append(("-" if a < 0 else "+", size + x))
        if not parts:
            return "0"
        (sign, head), *tail = parts
        return ("-" if sign == "-" else "") + head + "".join(f" {s} {t}" for s, t in tail)


x = Poly(0, 1)
p = 3 * x ** 3 - 2 * x + 1
assert str(p) == "3x^3 - 2x + 1"
assert Poly.parse(str(p)) == p and Poly.parse("x^2 - x^2") == 0
assert p(2) == 21 and p.degree == 3
assert str(p.derivative()) == "9x^2 - 2"
assert (x + 1) ** 4 == Poly(1, 4, 6, 4, 1)
q, r = divmod(x ** 3 - 12 * x ** 2 - 42, x - 3)
assert str(q) == "x^2 - 9x - 27" and r == -123
assert (x ** 6 - 1) % (x ** 2 + x + 1) == 0 and not (x - x)
assert p((x + 1)) == 3 * (x + 1) ** 3 - 2 * (x + 1) + 1
assert len({x + 1, 1 + x, Poly(1, 1)}) == 1
try:
    x // Poly()
except ZeroDivisionError as e:
    print(f"{p!s} over nothing: {e}")
