"""Maximise c.x where A.x <= b and x >= 0, exactly, by Bland's rule."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Optional, Sequence


class Status(Enum):
    OPTIMAL = "optimal"
    UNBOUNDED = "unbounded"

    def __bool__(self) -> bool:
        return self is Status.OPTIMAL


@dataclass
class Result:
    status: Status
    value: Optional[Fraction] = None
    point: tuple[Fraction, ...] = ()
    pivots: int = 0

    def __str__(self) -> str:
        if not self.status:
            return self.status.value
        where = ", ".join(f"{x}" for x in self.point)
        return f"{self.status.value} {self.value} at ({where}) after {self.pivots} pivots"


class Tableau:
    def __init__(self, a: Sequence[Sequence[int]], b: Sequence[int], c: Sequence[int]) -> None:
        if any(limit < 0 for limit in b):
            raise ValueError("this solver starts at the origin, which must be allowed")
        self.m, self.n = len(a), len(c)
        self.rows = []
        for i, (coefficients, limit) in enumerate(zip(a, b, strict=True)):
            slack = [Fraction(int(i == j)) for j in range(self.m)]
            self.rows.append([*map(Fraction, coefficients), *slack, Fraction(limit)])
        self.cost = [-Fraction(x) for x in c] + [Fraction(0)] * (self.m + 1)
        self.basis = list(range(self.n, self.n + self.m))
        self.pivots = 0

    def entering(self) -> Optional[int]:
        return next((j for j, x in enumerate(self.cost[:-1]) if x < 0), None)

    def leaving(self, column: int) -> Optional[int]:
        ratios = [(row[-1] / row[column], self.basis[i], i)
                  for i, row in enumerate(self.rows) if row[column] > 0]
        return min(ratios)[-1] if ratios else None

    def pivot(self, r: int, c: int) -> None:
        self.pivots += 1
        self.basis[r] = c
        lead = self.rows[r][c]
        self.rows[r] = [x / lead for x in self.rows[r]]
        for i in range(self.m):
            if i != r:
                self.rows[i] = self._eliminate(self.rows[i], self.rows[r], c)
        self.cost = self._eliminate(self.cost, self.rows[r], c)

    @staticmethod
    def _eliminate(row, by, c):
        factor = row[c]
        return [x - factor * y for x, y in zip(row, by)]

    def solve(self) -> Result:
        while (column := self.entering()) is not None:
            row = self.leaving(column)
            if row is None:
                return Result(Status.UNBOUNDED, pivots=self.pivots)
            self.pivot(row, column)
        values = dict(zip(self.basis, (row[-1] for row in self.rows)))
        point = tuple(values.get(j, Fraction(0)) for j in range(self.n))
        return Result(Status.OPTIMAL, self.cost[-1], point, self.pivots)


def maximise(c, a, b):
    return Tableau(a, b, c).solve()


def main():
    furniture = maximise([40, 30], [[1, 1], [2, 1]], [12, 16])
    assert furniture.value == 400 and furniture.point == (4, 8)
    mix = maximise([5, 4, 3], [[2, 3, 1], [4, 1, 2], [3, 4, 2]], [5, 11, 8])
    assert (mix.value, mix.point) == (13, (2, 0, 1))
    endless = maximise([1, 1], [[1, -1]], [2])
    assert not endless.status and str(endless) == "unbounded"
    cycling = maximise(
        [10, -57, -9, -24],
        [[Fraction(1, 2), Fraction(-11, 2), Fraction(-5, 2), 9], [Fraction(1, 2), Fraction(-3, 2), Fraction(-1, 2), 1], [1, 0, 0, 0]],
        [0, 0, 1],
    )
    assert cycling.value == 1
    try:
        maximise([1], [[1]], [-1])
    except ValueError as e:
        assert "origin" in str(e)
    for result in (furniture, mix, endless, cycling):
        print(result)


if __name__ == "__main__":
    main()
