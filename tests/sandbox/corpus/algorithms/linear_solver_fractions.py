"""Solving linear systems exactly, from their text."""
import re
from fractions import Fraction as F


class NoSolution(ValueError):
    def __init__(self, row):
        super().__init__("0 = {}".format(row[-1]))


class Underdetermined(ValueError):
    @property
    def free(self):
        return self.args[0]


_TERM = re.compile(
    r"""(?P<sign>[+-]?)\s*
        (?P<number>\d+(?:/\d+|\.\d+)?)?\s*\*?\s*
        (?P<name>[a-z]\w*)?""",
    re.VERBOSE,
)


def parse_side(side):
    terms = {}
    for m in _TERM.finditer(side.strip()):
        if not m["number"] and not m["name"]:
            continue
        value = F(m["number"] or 1) * (-1 if m["sign"] == "-" else 1)
        terms[m["name"]] = terms.get(m["name"], F(0)) + value
    return terms


def parse(text):
    rows = []
    for line in filter(None, map(str.strip, text.splitlines())):
        left, right = map(parse_side, line.split("="))
        for name, value in right.items():
            left[name] = left.get(name, F()) - value
        rows.append(left)
    names = sorted({n for row in rows for n in row if n is not None})
    matrix = [[row.get(n, F(0)) for n in names] + [-row.get(None, F(0))] for row in rows]
    return names, matrix


def rref(matrix):
    m = [row[:] for row in matrix]
    pivots = []
    r = 0
    for c in range(len(m[0])):
        try:
            pivot = next(i for i in range(r, len(m)) if m[i][c])
        except StopIteration:
            continue
        m[r], m[pivot] = m[pivot], m[r]
        lead = m[r][c]
        m[r] = [x / lead for x in m[r]]
        for i, row in enumerate(m):
            if i != r and row[c]:
                factor = row[c]
                row[:] = (x - factor * y for x, y in zip(row, m[r]))
        pivots.append(c)
        r += 1
        if r == len(m):
            break
    return m, pivots


def solve(text):
    names, matrix = parse(text)
    m, pivots = rref(matrix)
    if pivots and pivots[-1] == len(names):
        raise NoSolution(m[len(pivots) - 1])
    if len(pivots) < len(names):
        raise Underdetermined([n for i, n in enumerate(names) if i not in pivots])
    return {name: m[i][-1] for i, name in enumerate(names)}


def inverse(matrix):
    n = len(matrix)
    wide = [list(map(F, row)) + [F(int(i == j)) for j in range(n)] for i, row in enumerate(matrix)]
    reduced, pivots = rref(wide)
    if pivots != list(range(n)):
        raise ZeroDivisionError("singular")
    return [row[n:] for row in reduced]


answer = solve("""
    2x + y - z = 8
    -3x - y + 2z = -11
    -2x + y + 2z = -3
""")
assert answer == {"x": 2, "y": 3, "z": -1}
assert solve("1/2 a + 0.25 b = 1\na = b + 1") == {"a": F(5, 3), "b": F(2, 3)}
assert solve("3 apples + 2 = 11") == {"apples": F(3)}

for text, kind in {"x + y = 1\nx + y = 2": NoSolution, "x + y = 1": Underdetermined}.items():
    try:
        solve(text)
    except kind as e:
        print(type(e).__name__, e)
        if isinstance(e, Underdetermined):
            assert e.free == ["y"]
    else:
        raise AssertionError(text)

hilbert = [[F(1, i + j + 1) for j in range(5)] for i in range(5)]
inv = inverse(hilbert)
assert all(x.denominator == 1 for row in inv for x in row) and inv[0][0] == 25
assert [[sum(a * b for a, b in zip(r, c)) for c in zip(*inv)] for r in hilbert] == [
    [int(i == j) for j in range(5)] for i in range(5)
]
