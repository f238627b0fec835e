"""Connect four on bit boards, with alpha-beta and iterative deepening."""
from __future__ import annotations
from dataclasses import dataclass
from typing import Iterator

WIDTH, HEIGHT = 7, 6
ORDER = sorted(range(WIDTH), key=lambda c: abs(c - WIDTH // 2))
FULL = sum(((1 << HEIGHT) - 1) << c * (HEIGHT + 1) for c in range(WIDTH))


def connected(stones: int) -> bool:
    for shift in (1, HEIGHT, HEIGHT + 1, HEIGHT + 2):
        pairs = stones & stones >> shift
        if pairs & pairs >> 2 * shift:
            return True
    return False


@dataclass(frozen=True, slots=True)
class Position:
    """`mine` are the stones of who is about to move, `taken` those of both."""

    mine: int = 0
    taken: int = 0

    @property
    def theirs(self) -> int:
        return self.mine ^ self.taken

    @property
    def moves(self) -> Iterator[int]:
        return (c for c in ORDER if not self.taken >> c * (HEIGHT + 1) + HEIGHT - 1 & 1)

    @property
    def ply(self) -> int:
        return self.taken.bit_count()

    def play(self, column: int) -> Position:
        if column not in self.moves:
            raise ValueError(f"column {column} is full")
        return Position(self.theirs, self.taken | self.taken + (1 << column * (HEIGHT + 1)))

    def __lshift__(self, columns: str) -> Position:
        position = self
        for c in columns:
            position = position.play(int(c))
        return position

    @property
    def lost(self) -> bool:
        return connected(self.theirs)

    @property
    def full(self) -> bool:
        return self.taken == FULL

    def __str__(self) -> str:
        first, second = (self.mine, self.theirs) if self.ply % 2 == 0 else (self.theirs, self.mine)
        rows = []
        for r in reversed(range(HEIGHT)):
            bits = [1 << c * (HEIGHT + 1) + r for c in range(WIDTH)]
            rows.append("".join("X" if first & b else "O" if second & b else "." for b in bits))
        return "\n".join(rows)


class Searcher:
    WIN = 1000

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.nodes = 0
        self._memory: dict[tuple[Position, int], int] = {}

    def evaluate(self, p: Position) -> int:
        middle = ((1 << HEIGHT) - 1) << (WIDTH // 2) * (HEIGHT + 1)
        return (p.mine & middle).bit_count() - (p.theirs & middle).bit_count()

    def negamax(self, p: Position, depth: int, alpha: int, beta: int) -> int:
        self.nodes += 1
        if p.lost:
            return -self.WIN + p.ply
        if p.full:
            return 0
        if depth == 0:
            return self.evaluate(p)
        if (p, depth) in self._memory:
            return self._memory[p, depth]
        best = -self.WIN
        for column in p.moves:
            best = max(best, -self.negamax(p.play(column), depth - 1, -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                return best
        self._memory[p, depth] = best
        return best

    def best(self, p: Position) -> tuple[int, int]:
        """Deepen until a win is found; return (value, column)."""
        for depth in range(self.depth + 1):
            value, column = max(
                ((-self.negamax(p.play(c), depth, -self.WIN, self.WIN), c) for c in p.moves),
                key=lambda pair: pair[0],
            )
            if abs(value) > self.WIN // 2:
                break
        return value, column


start = Position()
assert list(start.moves) == [3, 2, 4, 1, 5, 0, 6]
p = start << "3344"
assert p.ply == 4 and str(p).splitlines()[-1] == "...XX.." and str(p).splitlines()[-2] == "...OO.."
assert not p.lost and (start << "0101010").lost and not (start << "010101").lost
assert (start << "0011223").lost and not (start << "001122").lost
assert (start << "01122323363").lost and (start << "65544343303").lost

value, column = Searcher(1).best(start << "010101")
assert column == 0 and value > 900, "takes the win"
assert Searcher(2).best(start << "01010")[1] == 0, "blocks the column"
value, column = Searcher(3).best(start << "304")
assert column in (1, 2, 5), "stops the open three"
full = start << "000000"
try:
    full.play(0)
except ValueError as e:
    print(e)
assert 0 not in full.moves and len({start, Position(), full}) == 2
searcher = Searcher(2)
game = start
while not game.lost and not game.full and game.ply < 12:
    game = game.play(searcher.best(game)[1])
print(game, searcher.nodes, sep="\n")
assert game.ply <= 12 and game.mine & game.theirs == 0
