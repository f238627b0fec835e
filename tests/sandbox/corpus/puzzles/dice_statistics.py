"""Exact distributions of dice, with an algebra of random variables."""
from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import product
import math
import operator
import random
import re


class Dist:
    """A finite distribution: values with exact probabilities.

    d6 + d6, 3 @ d6, d6 > d4, max(d6, d6) by Dist.lift, ...
    """

    def __init__(self, weights):
        weights = dict(weights)
        total = sum(weights.values())
        self._p = {v: Fraction(w, total) for v, w in sorted(weights.items()) if w}

    @classmethod
    def die(cls, sides):
        return cls(dict.fromkeys(range(1, sides + 1), 1))

    @classmethod
    def lift(cls, function, *dists):
        out = Counter()
        for combo in product(*(d.items() for d in map(cls.of, dists))):
            values, ps = zip(*combo)
            out[function(*values)] += math.prod(ps)
        return cls(out)

    @staticmethod
    def of(x):
        return x if isinstance(x, Dist) else Dist({x: 1})

    def items(self):
        return self._p.items()

    def __getitem__(self, value):
        return self._p.get(value, Fraction(0))

    def __iter__(self):
        return iter(self._p)

    def __rmatmul__(self, n):
        """n @ d: the sum of n independent copies."""
        return reduce(operator.add, [self] * n)

    def pool(self, n, keep):
        out = Counter()
        for rolls in product(self.items(), repeat=n):
            kept = sorted((v for v, _ in rolls), reverse=True)[:keep]
            out[sum(kept)] += math.prod(p for _, p in rolls)
        return Dist(out)

    @property
    def mean(self):
        return sum(v * p for v, p in self.items())

    @property
    def variance(self):
        return sum(v * v * p for v, p in self.items()) - self.mean ** 2

    def given(self, condition):
        return Dist({v: p for v, p in self.items() if condition(v)})

    def sample(self, rng):
        return rng.choices(list(self._p), weights=map(float, self._p.values()))[0]

    def __bool__(self):
        raise TypeError("a distribution is neither true nor false")

    def __eq__(self, other):
        return self._p == other._p if isinstance(other, Dist) else NotImplemented

    def __str__(self):
        return "\n".join(f"{v!s:>3} {float(p):6.2%} {'#' * round(p * 100)}" for v, p in self.items())


def _operator(name):
    function = getattr(operator, name)

    def forward(self, other):
        return Dist.lift(function, self, other)

    def backward(self, other):
        return Dist.lift(function, other, self)

    setattr(Dist, f"__{name}__", forward)
    setattr(Dist, f"__r{name}__", backward)


for name in ("add", "sub", "mul", "floordiv", "mod"):
    _operator(name)
for name in ("lt", "le", "gt", "ge"):
    setattr(Dist, f"__{name}__", lambda a, b, f=getattr(operator, name): Dist.lift(f, a, b))


def parse(text):
    """2d6+1d4-1 and so on."""
    total = Dist.of(0)
    for sign, n, sides, flat in re.findall(r"([+-]?)\s*(?:(\d*)d(\d+)|(\d+))", text):
        part = int(n or 1) @ Dist.die(int(sides)) if sides else Dist.of(int(flat))
        total = total - part if sign == "-" else total + part
    return total


d6, d4 = Dist.die(6), Dist.die(4)
two = d6 + d6
assert two == 2 @ d6 == parse("2d6") and two[7] == Fraction(1, 6) and two[13] == 0
assert two.mean == 7 and two.variance == Fraction(35, 6) == 2 * d6.variance
assert (d6 > d4)[True] == Fraction(14, 24) and (d6 >= 5)[True] == Fraction(1, 3)
assert Dist.lift(max, d6, d6)[6] == Fraction(11, 36)
assert (10 - d4).mean == Fraction(15, 2) and list(2 * d4) == [2, 4, 6, 8] and (d6 % 2)[0] == Fraction(1, 2)
assert parse("d6 + 2d4 - 3").mean == Fraction(11, 2)
assert d6.given(lambda v: v % 2 == 0).mean == 4
best = d6.pool(4, keep=3)
assert best[18] == Fraction(21, 1296) and round(float(best.mean), 4) == 12.2446
sicherman = Dist(Counter([1, 2, 2, 3, 3, 4])) + Dist(Counter([1, 3, 4, 5, 6, 8]))
assert sicherman == two and sicherman is not two
red, blue, olive = (Dist(Counter(f)) for f in ([2, 2, 4, 4, 9, 9], [1, 1, 6, 6, 8, 8], [3, 3, 5, 5, 7, 7]))
assert all((a > b)[True] == Fraction(5, 9) for a, b in [(red, blue), (blue, olive), (olive, red)])
rng = random.Random(6)
rolls = [two.sample(rng) for _ in range(500)]
assert abs(sum(rolls) / 500 - 7) < 0.5 and set(rolls) <= set(two)
try:
    if d6 == d4 or d6 < d4:
        pass
except TypeError as e:
    print(two, e, sep="\n")
