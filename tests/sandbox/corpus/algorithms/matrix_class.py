"""A matrix with the operators one expects."""
from __future__ import annotations

from fractions import Fraction
from numbers import Number
from typing import Callable, Iterator


class ShapeError(ValueError):
    """Raised when the sizes of two operands don't go together."""


class Matrix:
    def __init__(self, rows):
        self._rows = [list(row) for row in rows]
        widths = {len(row) for row in self._rows}
        if len(widths) > 1:
            raise ShapeError(f"rows of different lengths: {sorted(widths)}")

    @classmethod
    def identity(cls, n: int) -> Matrix:
        return cls([int(i == j) for j in range(n)] for i in range(n))

    @classmethod
    def build(cls, m: int, n: int, rule: Callable[[int, int], Number]) -> Matrix:
        return cls([rule(i, j) for j in range(n)] for i in range(m))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._rows), len(self._rows[0]) if self._rows else 0

    @property
    def T(self) -> Matrix:
        return type(self)(zip(*self._rows))

    def __getitem__(self, key):
        match key:
            case (int(i), int(j)):
                return self._rows[i][j]
            case (slice() as rows, slice() as cols):
                return Matrix(row[cols] for row in self._rows[rows])
            case (slice() as rows, int(j)):
                return [row[j] for row in self._rows[rows]]
            case (int(i), slice() as cols):
                return self._rows[i][cols]
            case int(i):
                return self._rows[i][:]
            case _:
                raise TypeError(f"bad index {key!r}")

    def __setitem__(self, key, value):
        i, j = key
        if isinstance(j, slice):
            self._rows[i][j] = value
        else:
            self._rows[i][j] = value

    def __iter__(self) -> Iterator[list]:
        return iter(self._rows)

    def __eq__(self, other):
        return self._rows == other._rows if isinstance(other, Matrix) else NotImplemented

    def _zip(self, other, op):
        if self.shape != other.shape:
            raise ShapeError(f"{self.shape} and {other.shape}")
        return Matrix([op(a, b) for a, b in zip(r, s)] for r, s in zip(self, other))

    def __add__(self, other):
        return self._zip(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._zip(other, lambda a, b: a - b)

    def __neg__(self):
        return self * -1

    def __mul__(self, k):
        if isinstance(k, Matrix):
            raise TypeError("use @ for the product of matrices")
        return Matrix([k * x for x in row] for row in self)

    __rmul__ = __mul__

    def __matmul__(self, other):
        if self.shape[1] != other.shape[0]:
            raise ShapeError(f"{self.shape} @ {other.shape}")
        columns = list(zip(*other))
        return Matrix([sum(a * b for a, b in zip(row, col, strict=True)) for col in columns] for row in self)

    def __pow__(self, n: int) -> Matrix:
        result, base = Matrix.identity(len(self._rows)), self
        while n:
            if n & 1:
                result @= base
            base, n = base @ base, n >> 1
        return result

    def det(self):
        m, sign = [[Fraction(x) for x in row] for row in self], 1
        for k in range(len(m)):
            pivot = next((i for i in range(k, len(m)) if m[i][k]), None)
            if pivot is None:
                return 0
            if pivot != k:
                m[k], m[pivot], sign = m[pivot], m[k], -sign
            for i in range(k + 1, len(m)):
                f = m[i][k] / m[k][k]
                m[i] = [a - f * b for a, b in zip(m[i], m[k])]
        for k in range(len(m)):
            sign *= m[k][k]
        return sign

    def __repr__(self):
        return "Matrix(%r)" % self._rows

    def __format__(self, spec):
        return "\n".join(" ".join(format(x, spec or "g") for x in row) for row in self)


a = Matrix([[1, 2], [3, 4]])
b = Matrix.build(2, 3, lambda i, j: i + j)
assert a @ b == Matrix([[2, 5, 8], [4, 11, 18]])
assert a.T == Matrix([[1, 3], [2, 4]]) and b.T.shape == (3, 2)
assert 2 * a - a == a and -a + a == Matrix([[0, 0], [0, 0]])
assert (Matrix([[1, 1], [1, 0]]) ** 50)[0, 1] == 12586269025
assert a.det() == -2 and Matrix([[0, 1], [1, 0]]).det() == -1
assert Matrix.build(4, 4, lambda i, j: i * j).det() == 0
grid = Matrix.build(4, 4, lambda i, j: 10 * i + j)
assert grid[1:3, ::2] == Matrix([[10, 12], [20, 22]])
assert grid[:, 1] == [1, 11, 21, 31] and grid[-1, :2] == [30, 31] and grid[2] == [20, 21, 22, 23]
grid[0, 1:3] = [7, 8]
grid[3, 3] = grid[3, 3] * 2
assert grid[0] == [0, 7, 8, 3] and grid[3, 3] == 66
assert f"{a:>4}" == "   1    2\n   3    4"
for bad in (lambda: a @ b.T, lambda: a + b, lambda: Matrix([[1], [2, 3]])):
    try:
        bad()
    except ShapeError as e:
        print("refused:", e)
    else:
        raise AssertionError
assert (a == 5) is False and a != b
