from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain
from numbers import Number


class ShapeError(ValueError):
    pass


class Matrix:
    """An immutable matrix over any numbers.

    >>> Matrix([1, 2], [3, 4]) @ Matrix.identity(2)
    Matrix([1, 2], [3, 4])
    """

    __slots__ = ("_rows",)

    def __init__(self, *rows: Sequence):
        self._rows = tuple(tuple(r) for r in rows)
        if len({len(r) for r in self._rows}) > 1:
            raise ShapeError("rows differ in length")

    @classmethod
    def identity(cls, n: int) -> Matrix:
        return cls(*([int(i == j) for j in range(n)] for i in range(n)))

    @classmethod
    def rotation(cls, angle: float) -> Matrix:
        c, s = math.cos(angle), math.sin(angle)
        return cls((c, -s), (s, c))

    @staticmethod
    def column(*values) -> Matrix:
        return Matrix(*([v] for v in values))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._rows), len(self._rows[0]) if self._rows else 0

    @property
    def T(self) -> Matrix:
        return type(self)(*zip(*self._rows))

    def __getitem__(self, key):
        match key:
            case int() as i:
                return self._rows[i]
            case int() as i, int() as j:
                return self._rows[i][j]
            case slice() as rows, cols:
                return Matrix(*(r[cols] if isinstance(cols, slice) else [r[cols]] for r in self._rows[rows]))
            case _:
                raise TypeError(f"bad index {key!r}")

    def __iter__(self):
        return chain.from_iterable(self._rows)

    def __eq__(self, other):
        return self._rows == other._rows if isinstance(other, Matrix) else NotImplemented

    def __hash__(self):
        return hash(self._rows)

    def __repr__(self):
        return f"{self.__class__.__name__}({', '.join(str(list(r)) for r in self._rows)})"

    def __str__(self):
        cells = [[f"{x:g}" if isinstance(x, float) else str(x) for x in row] for row in self._rows]
        widths = [max(map(len, col)) for col in zip(*cells)]
        return "\n".join("[" + " ".join(f"{c:>{w}}" for c, w in zip(row, widths)) + "]" for row in cells)

    def _zip(self, other, op):
        if self.shape != other.shape:
            raise ShapeError(f"{self.shape} and {other.shape}")
        return Matrix(*(map(op, a, b) for a, b in zip(self._rows, other._rows)))

    def __add__(self, other):
        return self._zip(other, operator.add)

    def __sub__(self, other):
        return self._zip(other, operator.sub)

    def __neg__(self):
        return -1 * self

    def __mul__(self, k):
        if not isinstance(k, Number):
            return NotImplemented
        return Matrix(*([k * x for x in r] for r in self._rows))

    __rmul__ = __mul__

    def __truediv__(self, k):
        return self * (Fraction(1) / k)

    def __matmul__(self, other: Matrix) -> Matrix:
        if self.shape[1] != other.shape[0]:
            raise ShapeError(f"cannot multiply {self.shape} by {other.shape}")
        columns = list(zip(*other._rows))
        return Matrix(*([sum(map(operator.mul, r, c)) for c in columns] for r in self._rows))

    def __pow__(self, n: int) -> Matrix:
        if n < 0:
            return self.inverse() ** -n
        result, base = Matrix.identity(len(self._rows)), self
        while n:
            if n & 1:
                result @= base
            base @= base
            n >>= 1
        return result

    def trace(self):
        return sum(self[i, i] for i in range(min(self.shape)))

    def minor(self, i, j):
        return Matrix(*(r[:j] + r[j + 1:] for k, r in enumerate(self._rows) if k != i))

    def det(self):
        if self.shape == (1, 1):
            return self[0, 0]
        return sum((-1) ** j * x * self.minor(0, j).det() for j, x in enumerate(self._rows[0]) if x)

    def rref(self) -> tuple[Matrix, int]:
        """Reduced row echelon form, and the rank."""
        rows = [[Fraction(x) for x in r] for r in self._rows]
        rank = 0
        for col in range(self.shape[1]):
            pivot = next((i for i in range(rank, len(rows)) if rows[i][col]), None)
            if pivot is None:
                continue
            rows[rank], rows[pivot] = rows[pivot], rows[rank]
            head = rows[rank][col]
            rows[rank] = [x / head for x in rows[rank]]
            for i, r in enumerate(rows):
                if i != rank and (factor := r[col]):
                    rows[i] = [a - factor * b for a, b in zip(r, rows[rank])]
            rank += 1
        return Matrix(*rows), rank

    def augment(self, other):
        return Matrix(*(a + b for a, b in zip(self._rows, other._rows)))

    def inverse(self):
        n, m = self.shape
        reduced, _ = self.augment(Matrix.identity(n)).rref()
        if n != m or reduced[:, :n] != Matrix.identity(n):
            raise ZeroDivisionError("singular matrix")
        return reduced[:, n:]

    def solve(self, b: Iterable) -> list[Fraction]:
        return list(self.inverse() @ Matrix.column(*b))


def test_algebra():
    a, b = Matrix([1, 2], [3, 4]), Matrix([0, 1], [1, 0])
    assert a @ b == Matrix([2, 1], [4, 3]) and b @ a == Matrix([3, 4], [1, 2])
    assert a + b - b == a and 2 * a == a * 2 == a + a and -a == a * -1
    assert (a @ b).T == b.T @ a.T and a.T.T == a
    assert a.det() == -2 and a.trace() == 5 and a / 2 == Matrix([Fraction(1, 2), 1], [Fraction(3, 2), 2])
    assert a @ a.inverse() == a ** 0 == Matrix.identity(2) and a ** -2 == (a @ a).inverse()
    assert (Matrix([1, 1], [1, 0]) ** 90)[0, 1] == 2880067194370816120
    assert len({a, Matrix([1, 2], [3, 4]), b}) == 2


def test_solving():
    m = Matrix([2, 1, -1], [-3, -1, 2], [-2, 1, 2])
    assert m.solve([8, -11, -3]) == [2, 3, -1] and m.det() == -1
    assert Matrix([1, 2], [2, 4]).rref()[1] == 1
    r = Matrix.rotation(math.pi / 6) ** 3 @ Matrix.column(1, 0)
    assert all(math.isclose(x, y, abs_tol=1e-9) for x, y in zip(r, (0, 1)))
    hilbert = Matrix(*([Fraction(1, i + j + 1) for j in range(4)] for i in range(4)))
    assert hilbert.inverse()[0] == (16, -120, 240, -140) and 1 / hilbert.det() == 6048000


def test_access():
    m = Matrix(range(4), range(4, 8))
    assert m.shape == (2, 4) and m[1, 2] == 6 and m[0] == (0, 1, 2, 3) and m[:, 1] == Matrix([1], [5])
    assert str(Matrix([1, -20], [3.5, 4])) == "[  1 -20]\n[3.5   4]" and repr(m[:1, :2]) == "Matrix([0, 1])"
    assert reduce(operator.add, m) == sum(m) == 28
    for bad, error in ((lambda: m @ m, ShapeError), (lambda: m + m.T, ShapeError), (lambda: m["x"], TypeError),
                       (lambda: m * "a", TypeError), (lambda: Matrix([1, 2], [2, 4]).inverse(), ZeroDivisionError),
                       (lambda: Matrix([1], [2, 3]), ShapeError)):
        try:
            bad()
        except error:
            continue
        raise AssertionError(error)


test_algebra()
test_solving()
test_access()
