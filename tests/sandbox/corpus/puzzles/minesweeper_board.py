"""Minesweeper: the field, the flood, and a solver that only makes safe moves."""
from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Flag, auto


class Mark(Flag):
    HIDDEN = 0
    MINE = auto()
    OPEN = auto()
    FLAG = auto()


class Boom(Exception):
    def __init__(self, where: tuple[int, int]):
        self.where = where
        super().__init__("boom at %d,%d" % where)


@dataclass
class Field:
    width: int
    height: int
    cells: dict[tuple[int, int], Mark] = field(default_factory=dict, repr=False)

    def __post_init__(self):
        for y in range(self.height):
            for x in range(self.width):
                self.cells.setdefault((x, y), Mark.HIDDEN)

    @classmethod
    def parse(cls, text: str) -> Field:
        rows = text.split()
        cells = {(x, y): Mark.MINE for y, row in enumerate(rows) for x, c in enumerate(row) if c == "*"}
        return cls(len(rows[0]), len(rows), cells)

    @classmethod
    def random(cls, width, height, mines, seed=None, spare=()):
        places = [(x, y) for x in range(width) for y in range(height) if (x, y) not in spare]
        chosen = random.Random(seed).sample(places, k=mines)
        return cls(width, height, dict.fromkeys(chosen, Mark.MINE))

    def around(self, x: int, y: int) -> Iterator[tuple[int, int]]:
        for nx in (x - 1, x, x + 1):
            for ny in (y - 1, y, y + 1):
                if (nx, ny) != (x, y) and (nx, ny) in self.cells:
                    yield nx, ny

    def number(self, x: int, y: int) -> int:
        return sum(Mark.MINE in self.cells[p] for p in self.around(x, y))

    def open(self, x: int, y: int) -> int:
        """Open a cell and all empty ones around; return how many were opened."""
        todo, opened = [(x, y)], 0
        while todo:
            p = todo.pop()
            if self.cells[p] & (Mark.OPEN | Mark.FLAG):
                continue
            if self.cells[p] & Mark.MINE:
                raise Boom(p)
            self.cells[p] |= Mark.OPEN
            opened += 1
            if self.number(*p) == 0:
                todo.extend(self.around(*p))
        return opened

    def flag(self, x: int, y: int) -> None:
        self.cells[x, y] ^= Mark.FLAG

    @property
    def cleared(self) -> bool:
        return all(bool(m & Mark.MINE) != bool(m & Mark.OPEN) for m in self.cells.values())

    def glyph(self, p) -> str:
        mark = self.cells[p]
        if mark & Mark.FLAG:
            return "F"
        if not mark & Mark.OPEN:
            return "?"
        return str(self.number(*p) or ".")

    def __str__(self) -> str:
        return "\n".join("".join(self.glyph((x, y)) for x in range(self.width)) for y in range(self.height))


def deduce(board: Field) -> bool:
    """Make every move that one number alone justifies; say whether any was made."""
    progress = False
    for p, mark in list(board.cells.items()):
        if not mark & Mark.OPEN:
            continue
        near = [q for q in board.around(*p) if not board.cells[q] & Mark.OPEN]
        flags = [q for q in near if board.cells[q] & Mark.FLAG]
        unknown = [q for q in near if q not in flags]
        if not unknown:
            continue
        if len(flags) == board.number(*p):
            progress |= any([board.open(*q) for q in unknown])
        elif len(near) == board.number(*p):
            for q in unknown:
                board.flag(*q)
            progress = True
    return progress


small = Field.parse("*...\n....\n.*..\n....")
assert small.open(3, 0) == 10 and str(small) == "?1..\n?21.\n??1.\n??1."
assert [small.number(x, 1) for x in range(4)] == [2, 2, 1, 0]
small.flag(0, 0)
assert small.open(0, 0) == 0 and str(small)[0] == "F"
try:
    small.open(1, 2)
except Boom as e:
    assert e.where == (1, 2) and "1,2" in str(e)

big = Field.random(12, 8, mines=10, seed=5, spare={(0, 0), (0, 1), (1, 0), (1, 1)})
big.open(0, 0)
rounds = 0
while deduce(big):
    rounds += 1
print(big, rounds, big.cleared)
assert sum(Mark.MINE in m for m in big.cells.values()) == 10
assert all(m & Mark.MINE for m in big.cells.values() if m & Mark.FLAG)
assert repr(big) == "Field(width=12, height=8)"
