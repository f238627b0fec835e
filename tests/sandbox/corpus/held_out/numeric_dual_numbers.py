"""Automatic differentiation with dual numbers, and a tiny gradient descent."""
from __future__ import annotations
import math
from numbers import Number, Real
from typing import Callable


class Dual:
    def __init__(self, real: float, eps: float = 0.0):
        self.real = real
        self.eps = eps

    @staticmethod
    def lift(x: Dual | Number) -> Dual:
        return x if isinstance(x, Dual) else Dual(x)

    def __add__(self, o):
        o = self.lift(o)
        return Dual(self.real + o.real, self.eps + o.eps)

    def __sub__(self, o):
        return self + -o

    def __rsub__(self, o):
        return -self + o

    def __neg__(self):
        return Dual(-self.real, -self.eps)

    def __mul__(self, o):
        o = self.lift(o)
        return Dual(self.real * o.real, self.real * o.eps + self.eps * o.real)

    def __truediv__(self, o):
        o = self.lift(o)
        return Dual(self.real / o.real, (self.eps * o.real - self.real * o.eps) / o.real ** 2)

    def __rtruediv__(self, o):
        return self.lift(o) / self

    def __pow__(self, n: Real):
        return Dual(self.real ** n, n * self.real ** (n - 1) * self.eps)

    def __lt__(self, o):
        return self.real < self.lift(o).real

    __radd__, __rmul__ = __add__, __mul__

    def __repr__(self):
        return f"{self.real:g}{self.eps:+g}ε"


def _unary(f: Callable, df: Callable):
    def g(x):
        if isinstance(x, Dual):
            return Dual(f(x.real), df(x.real) * x.eps)
        return f(x)
    g.__name__ = f.__name__
    return g


sin = _unary(math.sin, math.cos)
cos = _unary(math.cos, lambda x: -math.sin(x))
exp = _unary(math.exp, math.exp)
log = _unary(math.log, lambda x: 1 / x)
sqrt = _unary(math.sqrt, lambda x: 0.5 / math.sqrt(x))


def derivative(f):
    return lambda x: f(Dual(x, 1.0)).eps


def grad(f):
    def g(*args):
        return [f(*(Dual(a, float(i == j)) for j, a in enumerate(args))).eps for i in range(len(args))]
    return g


def descend(f, *start, rate=0.1, steps=200):
    point = list(start)
    g = grad(f)
    for _ in range(steps):
        point = [p - rate * d for p, d in zip(point, g(*point))]
    return point


f = lambda x: 3 * x ** 2 + 2 * x - 5
assert derivative(f)(4) == 26
assert math.isclose(derivative(lambda x: sin(x) * exp(x))(1), math.exp(1) * (math.sin(1) + math.cos(1)))
assert math.isclose(derivative(lambda x: 1 / (1 + exp(-x)))(0), 0.25)
assert math.isclose(derivative(lambda x: log(sqrt(x)))(2), 0.25)
assert derivative(lambda x: x if x < 3 else x * x)(5) == 10
for fn in (sin, cos, exp):
    h = 1e-6
    numeric = (fn(1 + h) - fn(1 - h)) / (2 * h)
    print(f"{fn.__name__:4} {derivative(fn)(1):.6f} {numeric:.6f}")
    assert math.isclose(derivative(fn)(1), numeric, rel_tol=1e-6)
assert grad(lambda x, y: x * y + y ** 2)(2, 3) == [3, 8]
x, y = descend(lambda x, y: (x - 1) ** 2 + (y + 2) ** 2, 5, 5)
print(f"minimum near ({x:.3f}, {y:.3f})")
assert abs(x - 1) < 1e-6 and abs(y + 2) < 1e-6
print(Dual(2, 1) * Dual(3, 1), 1 - Dual(1, 1))
