"""Mazes: several generators behind one interface, and two ways out."""

import abc
import random
from collections import deque

N, E, S, W = 1, 2, 4, 8
STEP = {N: (0, -1), E: (1, 0), S: (0, 1), W: (-1, 0)}
BACK = {N: S, S: N, E: W, W: E}


class Maze(abc.ABC):
    """A width x height grid; each cell remembers in which directions it is open."""

    def __init__(self, width, height, seed=None):
        self.width, self.height = width, height
        self._open = [[0] * width for _ in range(height)]
        self._rng = random.Random(seed)
        self.carve()

    @abc.abstractmethod
    def carve(self):
        """Open the walls."""

    def inside(self, x, y):
        return 0 <= x < self.width and 0 <= y < self.height

    def cells(self):
        return ((x, y) for y in range(self.height) for x in range(self.width))

    def neighbours(self, cell):
        for way, (dx, dy) in STEP.items():
            other = cell[0] + dx, cell[1] + dy
            if self.inside(*other):
                yield way, other

    def dig(self, cell, way):
        (x, y), (dx, dy) = cell, STEP[way]
        self._open[y][x] |= way
        self._open[y + dy][x + dx] |= BACK[way]

    def exits(self, cell):
        return (other for way, other in self.neighbours(cell) if self._open[cell[1]][cell[0]] & way)

    def solve(self, start=(0, 0), end=None):
        end = end or (self.width - 1, self.height - 1)
        came, queue = {start: None}, deque([start])
        while queue and end not in came:
            cell = queue.popleft()
            for other in self.exits(cell):
                if other not in came:
                    came[other] = cell
                    queue.append(other)
        path = [end]
        while path[-1] != start:
            path.append(came[path[-1]])
        return path[::-1]

    def dead_ends(self):
        return [c for c in self.cells() if sum(1 for _ in self.exits(c)) == 1]

    def draw(self, path=()):
        marks = set(path)
        lines = ["+" + "---+" * self.width]
        for y, row in enumerate(self._open):
            middle, below = "|", "+"
            for x, ways in enumerate(row):
                middle += (" * " if (x, y) in marks else "   ") + (" " if ways & E else "|")
                below += ("   " if ways & S else "---") + "+"
            lines += middle, below
        return "\n".join(lines)


class Backtracker(Maze):
    def carve(self):
        stack, seen = [(0, 0)], {(0, 0)}
        while stack:
            fresh = [(w, c) for w, c in self.neighbours(stack[-1]) if c not in seen]
            if not fresh:
                stack.pop()
                continue
            way, cell = self._rng.choice(fresh)
            self.dig(stack[-1], way)
            seen.add(cell)
            stack.append(cell)


class Kruskal(Maze):
    def carve(self):
        group = {c: {c} for c in self.cells()}
        walls = [(c, w, d) for c in self.cells() for w, d in self.neighbours(c) if w in (E, S)]
        self._rng.shuffle(walls)
        for cell, way, other in walls:
            if group[cell] is not group[other]:
                self.dig(cell, way)
                union = group[cell] | group[other]
                for c in union:
                    group[c] = union


class BinaryTree(Maze):
    def carve(self):
        for cell in self.cells():
            ways = [w for w, _ in self.neighbours(cell) if w in (N, W)]
            if ways:
                self.dig(cell, self._rng.choice(ways))


for kind in Maze.__subclasses__():
    maze = kind(9, 6, seed=1)
    path = maze.solve()
    assert path[0] == (0, 0) and path[-1] == (8, 5)
    assert all(b in set(maze.exits(a)) for a, b in zip(path, path[1:]))
    passages = sum(1 for c in maze.cells() for _ in maze.exits(c)) // 2
    assert passages == 9 * 6 - 1, "a perfect maze is a tree"
    assert all(maze.solve(end=c) for c in maze.cells())
    assert maze.draw() == kind(9, 6, seed=1).draw() != kind(9, 6, seed=2).draw()
    assert maze.draw(path).count("*") == len(path)
    print(kind.__name__, len(maze.dead_ends()), maze.draw(path), sep="\n")
try:
    Maze(2, 2)
except TypeError as e:
    assert "carve" in str(e)
