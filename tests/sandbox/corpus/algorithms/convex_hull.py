"""Plane geometry with named tuples: hulls, areas, crossings, closest pairs."""
from __future__ import annotations

import random
from itertools import combinations, pairwise
from math import atan2, degrees, dist, hypot, isclose, pi, sqrt
from typing import NamedTuple, Sequence


class Vec(NamedTuple):
    x: float
    y: float

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Vec) -> Vec:
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, k: float) -> Vec:
        return Vec(self.x * k, self.y * k)

    def __matmul__(self, other: Vec) -> float:
        """The dot product."""
        return self.x * other.x + self.y * other.y

    def __xor__(self, other: Vec) -> float:
        """The cross product's only part."""
        return self.x * other.y - self.y * other.x

    def __abs__(self) -> float:
        return hypot(*self)

    @property
    def angle(self) -> float:
        return degrees(atan2(self.y, self.x))


def turn(a: Vec, b: Vec, c: Vec) -> float:
    return (b - a) ^ (c - a)


def hull(points: Sequence[Vec]) -> list[Vec]:
    def half(ordered):
        chain: list[Vec] = []
        for p in ordered:
            while len(chain) >= 2 and turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    return half(ordered) + half(ordered[::-1])


def area(polygon: Sequence[Vec]) -> float:
    return sum(a ^ b for a, b in pairwise([*polygon, polygon[0]])) / 2


def perimeter(polygon: Sequence[Vec]) -> float:
    return sum(abs(b - a) for a, b in pairwise([*polygon, polygon[0]]))


def inside(p: Vec, polygon: Sequence[Vec]) -> bool:
    odd = False
    for a, b in pairwise([*polygon, polygon[0]]):
        if (a.y > p.y) != (b.y > p.y) and p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x:
            odd = not odd
    return odd


def crossing(a: Vec, b: Vec, c: Vec, d: Vec) -> Vec | None:
    r, s = b - a, d - c
    if (slope := r ^ s) == 0:
        return None
    t, u = ((c - a) ^ s) / slope, ((c - a) ^ r) / slope
    return a + r * t if 0 <= t <= 1 and 0 <= u <= 1 else None


def closest(points: Sequence[Vec]) -> float:
    ordered = sorted(points)
    best = float("inf")
    for i, p in enumerate(ordered):
        for q in ordered[i + 1:]:
            if q.x - p.x >= best:
                break
            best = min(best, dist(p, q))
    return best


square = [Vec(0, 0), Vec(4, 0), Vec(4, 4), Vec(0, 4)]
assert hull(square + [Vec(2, 2), Vec(2, 0), Vec(1, 3)]) == square
assert area(square) == 16 and perimeter(square) == 16 and area(square[::-1]) == -16
assert inside(Vec(1, 1), square) and not inside(Vec(5, 1), square)
assert crossing(Vec(0, 0), Vec(2, 2), Vec(0, 2), Vec(2, 0)) == (1, 1)
assert crossing(Vec(0, 0), Vec(1, 1), Vec(0, 1), Vec(1, 2)) is None
assert Vec(3, 4) @ Vec(-4, 3) == 0 and abs(Vec(3, 4)) == 5 and isclose(Vec(1, 1).angle, 45)
assert Vec(1, 2)._replace(y=5) == Vec(1, 5) and Vec(1, 2)._asdict() == {"x": 1, "y": 2}
rng = random.Random("geometry")
cloud = [Vec(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(150)]
around = hull(cloud)
assert all(turn(a, b, p) >= -1e-12 for a, b in pairwise([*around, around[0]]) for p in cloud)
assert isclose(closest(cloud), min(dist(p, q) for p, q in combinations(cloud, 2)))
circle = hull([Vec(p.x / abs(p), p.y / abs(p)) for p in cloud])
assert sqrt(8) < area(circle) < pi and len(circle) == len(cloud)
print(f"{len(around)} corners, area {area(around):.3f}")
