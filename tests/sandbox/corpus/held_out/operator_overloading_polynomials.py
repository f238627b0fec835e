from itertools import zip_longest
from numbers import Number
import re


class Polynomial:
    """Polynomial(1, 0, -3) is x^2 - 3"""

    def __init__(self, *coeffs):
        coeffs = list(coeffs)
        while len(coeffs) > 1 and coeffs[0] == 0:
            coeffs.pop(0)
        self.coeffs = tuple(coeffs) or (0,)

    @classmethod
    def parse(cls, s):
        terms = {}
        for sign, num, x, exp in re.findall(r"([+-]?)\s*(\d*)(x?)(?:\^(\d+))?\s*", s):
            if not (num or x):
                continue
            power = int(exp) if exp else 1 if x else 0
            terms[power] = terms.get(power, 0) + int(sign + (num or "1"))
        top = max(terms)
        return cls(*(terms.get(p, 0) for p in range(top, -1, -1)))

    @property
    def degree(self):
        return len(self.coeffs) - 1

    def __call__(self, x):
        result = 0
        for c in self.coeffs:
            result = result * x + c
        return result

    def _coerce(self, other):
        if isinstance(other, Polynomial):
            return other
        if isinstance(other, Number):
            return Polynomial(other)
        return None

    def __add__(self, other):
        if (other := self._coerce(other)) is None:
            return NotImplemented
        pairs = zip_longest(self.coeffs[::-1], other.coeffs[::-1], fillvalue=0)
        return Polynomial(*[a + b for a, b in pairs][::-1])

    __radd__ = __add__

    def __neg__(self):
        return Polynomial(*(-c for c in self.coeffs))

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if (other := self._coerce(other)) is None:
            return NotImplemented
        out = [0] * (self.degree + other.degree + 1)
        for i, a in enumerate(self.coeffs):
            for j, b in enumerate(other.coeffs):
                out[i + j] += a * b
        return Polynomial(*out)

    __rmul__ = __mul__

    def __pow__(self, n):
        result = Polynomial(1)
        for _ in range(n):
            result *= self
        return result

    def __divmod__(self, other):
        rest, quotient = list(self.coeffs), []
        while len(rest) >= len(other.coeffs):
            q = rest[0] // other.coeffs[0] if rest[0] % other.coeffs[0] == 0 else rest[0] / other.coeffs[0]
            quotient.append(q)
            for i, c in enumerate(other.coeffs):
                rest[i] -= q * c
            rest.pop(0)
        return Polynomial(*quotient), Polynomial(*rest)

    def __floordiv__(self, other): return divmod(self, other)[0]
    def __mod__(self, other): return divmod(self, other)[1]
    def __eq__(self, other): return (o := self._coerce(other)) is not None and o.coeffs == self.coeffs
    def __hash__(self): return hash(self.coeffs)
    def __bool__(self): return self.coeffs != (0,)
    def __len__(self): return len(self.coeffs)
    def __getitem__(self, power): return self.coeffs[self.degree - power] if power <= self.degree else 0
    def __matmul__(self, g): return sum((c * g ** p for p, c in enumerate(reversed(self.coeffs))), Polynomial(0))

    def derivative(self):
        n = self.degree
        return Polynomial(*(c * (n - i) for i, c in enumerate(self.coeffs[:-1])))

    def __str__(self):
        out = ""
        for p in range(self.degree, -1, -1):
            c = self[p]
            if not c:
                continue
            sign = (" - " if out else "-") if c < 0 else (" + " if out else "")
            num = "" if abs(c) == 1 and p else f"{abs(c)}"
            out += sign + num + ("x" if p else "") + (f"^{p}" if p > 1 else "")
        return out or "0"

    __repr__ = lambda self: f"Polynomial{self.coeffs}"


p, q = Polynomial(1, 2, 1), Polynomial(1, 1)
assert p == q * q == q ** 2 and p // q == q and not p % q
assert p(3) == 16 and (p + 1)[0] == 2 and (1 - q)(5) == -5
print(p, q, -p, p * q - 4, Polynomial(3, 0, -1, 0), Polynomial(0), sep=" | ")
assert str(Polynomial.parse("2x^3 - x + 7")) == "2x^3 - x + 7"
assert divmod(Polynomial(1, 0, 0, -1), Polynomial(1, -1)) == (Polynomial(1, 1, 1), Polynomial(0))
assert p.derivative() == Polynomial(2, 2) and (p @ Polynomial(2, 0)) == Polynomial(4, 4, 1)
assert len({p, q * q, q}) == 2 and p != "x" and len(p) == 3 and repr(q) == "Polynomial(1, 1)"
try:
    p + "x"
except TypeError as e:
    print(e)
p += 1; p *= 2
assert p == Polynomial(2, 4, 4)
