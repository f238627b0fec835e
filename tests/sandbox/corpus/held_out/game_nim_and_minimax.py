"""Nim with xor strategy, generic alpha-beta over an abstract game."""
from abc import ABC, abstractmethod
from functools import reduce, lru_cache
from operator import xor
import math
import random


class Game(ABC):
    @abstractmethod
    def moves(self): ...

    @abstractmethod
    def play(self, move): ...

    @abstractmethod
    def result(self):
        """None while running, else +1 / 0 / -1 for the player to move."""

    def heuristic(self):
        return 0


class Nim(Game):
    def __init__(self, *heaps):
        self.heaps = tuple(sorted(h for h in heaps if h))

    def moves(self):
        return [(i, k) for i, h in enumerate(self.heaps) for k in range(1, h + 1)]

    def play(self, move):
        i, k = move
        heaps = list(self.heaps)
        heaps[i] -= k
        return Nim(*heaps)

    def result(self):
        return -1 if not self.heaps else None

    def __eq__(self, other):
        return self.heaps == other.heaps

    def __hash__(self):
        return hash(self.heaps)

    def __repr__(self):
        return "Nim%r" % (self.heaps,)

    def best(self):
        x = reduce(xor, self.heaps, 0)
        if x == 0:
            return None
        for i, h in enumerate(self.heaps):
            if h ^ x < h:
                return i, h - (h ^ x)


class Subtract(Game):
    def __init__(self, n, allowed=(1, 3, 4)):
        self.n, self.allowed = n, allowed

    def moves(self):
        return [a for a in self.allowed if a <= self.n]

    def play(self, move):
        return Subtract(self.n - move, self.allowed)

    def result(self):
        return -1 if not self.moves() else None


visited = 0


def alphabeta(game, depth=20, alpha=-math.inf, beta=math.inf):
    global visited
    visited += 1
    r = game.result()
    if r is not None:
        return r, None
    if depth == 0:
        return game.heuristic(), None
    best = None
    for move in game.moves():
        value = -alphabeta(game.play(move), depth - 1, -beta, -alpha)[0]
        if value > alpha:
            alpha, best = value, move
        if alpha >= beta:
            break
    return alpha, best


@lru_cache(maxsize=None)
def wins(nim):
    return any(not wins(nim.play(m)) for m in nim.moves())


for heaps in [(1, 2, 3), (1, 2, 4), (3, 3), (2, 2, 1)]:
    nim = Nim(*heaps)
    value, move = alphabeta(nim)
    print(nim, "win" if value > 0 else "loss", move, nim.best())
    assert (value > 0) == wins(nim) == (nim.best() is not None)
    if nim.best():
        assert not wins(nim.play(nim.best()))

losing = [n for n in range(22) if alphabeta(Subtract(n))[0] < 0]
print("losing:", losing)
assert losing == [n for n in range(22) if n % 7 in (0, 2)]

rng = random.Random(5)
game, turn = Nim(3, 4, 5), 0
while game.result() is None:
    move = game.best() if turn == 0 else rng.choice(game.moves())
    game = game.play(move)
    turn = 1 - turn
assert turn == 1, "the perfect player took the last one"
try:
    Game()
except TypeError:
    print("abstract, as it should be")
assert visited > 100
