from collections import Counter
from itertools import product

NEAR = [(dx, dy) for dx, dy in product((-1, 0, 1), repeat=2) if (dx, dy) != (0, 0)]

parse = lambda text: frozenset((x, y) for y, line in enumerate(text.split()) for x, c in enumerate(line) if c in "#O*")

step = lambda live: frozenset(
    cell
    for cell, n in Counter((x + dx, y + dy) for x, y in live for dx, dy in NEAR).items()
    if n == 3 or (n == 2 and cell in live)
)

shift = lambda live, dx=0, dy=0: frozenset((x + dx, y + dy) for x, y in live)

home = lambda live: shift(live, -min((x for x, _ in live), default=0), -min((y for _, y in live), default=0))


def show(live):
    if not live:
        return "(empty)"
    live = home(live)
    width, height = (1 + max(axis) for axis in zip(*live))
    return "\n".join("".join("#" if (x, y) in live else "." for x in range(width)) for y in range(height))


def history(live, n):
    yield live
    for _ in range(n):
        yield (live := step(live))


def period(live, limit=50):
    """How many steps until the same shape returns, and how far it moved."""
    shape, start = home(live), min(live)
    for t, later in enumerate(history(live, limit)):
        if t and home(later) == shape:
            return t, tuple(b - a for a, b in zip(start, min(later)))
    return None


PATTERNS = {
    "block": "## ##",
    "blinker": "###",
    "toad": ".### ###.",
    "beacon": "##.. ##.. ..## ..##",
    "glider": ".#. ..# ###",
    "lwss": ".#..# #.... #...# ####.",
    "r-pentomino": ".## ##. .#.",
    "diehard": "......#. ##...... .#...###",
}

boards = {name: parse(text) for name, text in PATTERNS.items()}
expected = dict(block=(1, (0, 0)), blinker=(2, (0, 0)), toad=(2, (0, 0)), beacon=(2, (0, 0)), glider=(4, (1, 1)))
for name, want in expected.items():
    assert period(boards[name]) == want, (name, period(boards[name]))

t, (dx, dy) = period(boards["lwss"])
assert (t, abs(dx), dy) == (4, 2, 0)

*_, last = history(boards["diehard"], 129)
assert last and not step(last)
populations = [len(b) for b in history(boards["r-pentomino"], 30)]
assert populations[:5] == [5, 6, 7, 9, 8]
assert period(boards["r-pentomino"]) is None

assert show(boards["toad"]) == ".###\n###." and show(step(boards["toad"])).count("#") == 6
assert show(frozenset()) == "(empty)" and step(frozenset()) == set()
assert step(boards["block"] | shift(boards["block"], 10)) == boards["block"] | shift(boards["block"], dx=10)
assert boards["glider"] - step(boards["glider"]) == {(1, 0)} | {(0, 2)} & boards["glider"]
print(show(last), populations, sep="\n\n")
