"""Snake without a screen: a script of key presses, frames as text."""
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Deque, NamedTuple, Optional


class Point(NamedTuple):
    x: int
    y: int

    def __add__(self, other):
        return Point(self.x + other[0], self.y + other[1])


class Dir(Enum):
    UP = (0, -1)
    DOWN = (0, 1)
    LEFT = (-1, 0)
    RIGHT = (1, 0)

    @property
    def opposite(self) -> "Dir":
        dx, dy = self.value
        return Dir((-dx, -dy))


KEYS = {"w": Dir.UP, "s": Dir.DOWN, "a": Dir.LEFT, "d": Dir.RIGHT}


class GameOver(Exception):
    pass


@dataclass
class Snake:
    width: int = 10
    height: int = 6
    rng: Random = field(default_factory=lambda: Random(3), repr=False)
    body: Deque[Point] = field(default_factory=lambda: deque([Point(2, 2), Point(1, 2)]))
    heading: Dir = Dir.RIGHT
    food: Optional[Point] = None
    score: int = 0

    def __post_init__(self):
        self.place_food()

    def place_food(self):
        free = [Point(x, y) for x in range(self.width) for y in range(self.height) if (x, y) not in self.body]
        self.food = self.rng.choice(free)

    def turn(self, key):
        new = KEYS.get(key)
        if new and new is not self.heading.opposite:
            self.heading = new

    def step(self):
        head = self.body[0] + self.heading.value
        if not (0 <= head.x < self.width and 0 <= head.y < self.height):
            raise GameOver(f"hit the wall at {tuple(head)}")
        if head in list(self.body)[:-1]:
            raise GameOver("bit itself")
        self.body.appendleft(head)
        if head == self.food:
            self.score += 1
            self.place_food()
        else:
            self.body.pop()

    def __str__(self):
        rows = []
        for y in range(self.height):
            row = ""
            for x in range(self.width):
                p = Point(x, y)
                row += "@" if p == self.body[0] else "o" if p in self.body else "*" if p == self.food else "."
            rows.append(row)
        return "\n".join(rows)


def autopilot(game):
    """Greedy: towards the food, else any move that survives."""
    def safe(d):
        p = game.body[0] + d.value
        return 0 <= p.x < game.width and 0 <= p.y < game.height and p not in list(game.body)[:-1]
    head = game.body[0]
    options = sorted(filter(safe, Dir), key=lambda d: abs(head.x + d.value[0] - game.food.x) + abs(head.y + d.value[1] - game.food.y))
    return next((k for k, d in KEYS.items() if options and d is options[0]), None)


g = Snake()
g.turn("a")
assert g.heading is Dir.RIGHT
try:
    while True:
        g.step()
except GameOver as e:
    print(e)
assert g.body[0] == (9, 2) and len(g.body) == 2 + g.score

g = Snake(rng=Random(8))
moves = 0
try:
    while g.score < 12 and moves < 400:
        g.turn(autopilot(g))
        g.step()
        moves += 1
except GameOver as e:
    print("game over:", e)
print(g, f"score {g.score}", sep="\n")
assert g.score >= 5 and len(g.body) == g.score + 2
assert len(set(g.body)) == len(g.body)
assert Dir.UP.opposite is Dir.DOWN
