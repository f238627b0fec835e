"""Magic squares of every order, and the search for those of order three."""

from itertools import chain, permutations
from math import isqrt


def siamese(n):
    square = [[0] * n for _ in range(n)]
    r, c = 0, n // 2
    for k in range(1, n * n + 1):
        square[r][c] = k
        up, right = (r - 1) % n, (c + 1) % n
        if square[up][right]:
            r = (r + 1) % n
        else:
            r, c = up, right
    return square


def doubly_even(n):
    def keep(r, c):
        return (r % 4 in (0, 3)) == (c % 4 in (0, 3))

    return [[n * n - r * n - c if keep(r, c) else r * n + c + 1 for c in range(n)] for r in range(n)]


def lux(n):
    """Conway's method for 6, 10, 14 ..."""
    m = n // 2
    half = m // 2
    letters = ["L" * m] * (half + 1) + ["U" * m] + ["X" * m] * (half - 1)
    letters[half], letters[half + 1] = (
        "L" * half + "U" + "L" * half,
        "U" * half + "L" + "U" * half,
    )
    corners = {
        "L": [(0, 1), (1, 0), (1, 1), (0, 0)],
        "U": [(0, 0), (1, 0), (1, 1), (0, 1)],
        "X": [(0, 0), (1, 1), (1, 0), (0, 1)],
    }
    square = [[None] * n for _ in range(n)]
    for r, row in enumerate(siamese(m)):
        for c, k in enumerate(row):
            for add, (dr, dc) in enumerate(corners[letters[r][c]], start=1):
                square[2 * r + dr][2 * c + dc] = 4 * (k - 1) + add
    return square


def magic(n):
    if n < 1 or n == 2:
        raise ValueError("there is no magic square of order {}".format(n))
    if n % 2:
        return siamese(n)
    return doubly_even(n) if n % 4 == 0 else lux(n)


def lines(square):
    n = len(square)
    yield from square
    yield from zip(*square)
    yield [square[i][i] for i in range(n)]
    yield [square[i][~i] for i in range(n)]


def is_magic(square):
    n = len(square)
    flat = sorted(chain.from_iterable(square))
    return flat == list(range(1, n * n + 1)) and {sum(line) for line in lines(square)} == {n * (n * n + 1) // 2}


def lo_shu():
    for p in permutations(range(1, 10), 5):
        a, b, c, d, e = p
        f, g = 15 - d - e, 15 - a - d
        h, i = 15 - b - e, 15 - c - f
        square = [[a, b, c], [d, e, f], [g, h, i]]
        if e == 5 and is_magic(square):
            yield square


def rotated(square):
    return [list(row) for row in zip(*square[::-1])]


def canonical(square):
    forms = []
    for start in (square, [row[::-1] for row in square]):
        for _ in range(4):
            forms.append(tuple(map(tuple, start)))
            start = rotated(start)
    return min(forms)


def render(square):
    width = len(str(len(square) ** 2))
    return "\n".join(" ".join("{:>{w}}".format(x, w=width) for x in row) for row in square)


for n in [1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]:
    assert is_magic(magic(n)), n

assert magic(3) == [[8, 1, 6], [3, 5, 7], [4, 9, 2]]
assert magic(4)[0] == [16, 2, 3, 13]
everything = list(lo_shu())
assert len(everything) == 8 and len({canonical(s) for s in everything}) == 1
assert canonical(magic(3)) == ((2, 7, 6), (9, 5, 1), (4, 3, 8))
assert not is_magic([[1, 2], [3, 4]]) and isqrt(len(list(chain(*magic(6))))) == 6
for bad in 2, 0, -3:
    try:
        magic(bad)
    except ValueError as e:
        assert str(bad) in str(e)
    else:
        raise AssertionError(bad)
print(render(magic(6)))
