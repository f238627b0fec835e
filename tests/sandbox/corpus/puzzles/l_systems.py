"""L-systems: rewriting, a turtle without a screen, and little drawings in text."""
import math
import random
import re
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property


class LSystem:
    axiom = "F"
    rules = {}
    angle = 90

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        LSystem.registry = {**getattr(LSystem, "registry", {}), cls.__name__: cls}

    def generation(self, n):
        text = self.axiom
        for _ in range(n):
            text = "".join(self.rewrite(c) for c in text)
        return text

    def rewrite(self, c):
        return self.rules.get(c, c)


class Koch(LSystem):
    rules = {"F": "F+F-F-F+F"}


class Dragon(LSystem):
    rules = {"F": "F+G", "G": "F-G"}


class Hilbert(LSystem):
    axiom = "A"
    rules = dict(A="+BF-AFA-FB+", B="-AF+BFB+FA-")


class Plant(LSystem):
    axiom = "X"
    angle = 25
    rules = {"X": "F+[[X]-X]-F[-FX]+X", "F": "FF"}


class Weed(Plant):
    """Chooses among several rules, by chance."""

    choices = {"F": [("FF", 2), ("F", 1)]}

    def __init__(self, seed):
        self._rng = random.Random(seed)

    def rewrite(self, c):
        if c in self.choices:
            options, weights = zip(*self.choices[c])
            return self._rng.choices(options, weights)[0]
        return super().rewrite(c)


@dataclass
class Turtle:
    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0

    def forward(self, length=1.0):
        self.x += length * math.cos(math.radians(self.heading))
        self.y += length * math.sin(math.radians(self.heading))

    @contextmanager
    def saved(self):
        state = vars(self).copy()
        yield self
        vars(self).update(state)


class Drawing:
    def __init__(self, text, angle):
        self.text, self.angle = text, angle

    @cached_property
    def points(self):
        turtle, points = Turtle(), [(0, 0)]
        commands = iter(self.text)

        def draw():
            for c in commands:
                match c:
                    case "F" | "G":
                        turtle.forward()
                        points.append((round(turtle.x, 6), round(turtle.y, 6)))
                    case "+":
                        turtle.heading += self.angle
                    case "-":
                        turtle.heading -= self.angle
                    case "[":
                        with turtle.saved():
                            draw()
                    case "]":
                        return

        draw()
        return points

    @property
    def box(self):
        xs, ys = zip(*self.points)
        return min(xs), min(ys), max(xs), max(ys)

    def __str__(self):
        left, bottom, right, top = map(int, self.box)
        marks = {(round(x) - left, top - round(y)) for x, y in self.points}
        return "\n".join("".join(" o"[(x, y) in marks] for x in range(right - left + 1)) for y in range(top - bottom + 1))


def algae(n):
    text = "A"
    for _ in range(n):
        text = re.sub("[AB]", lambda m: {"A": "AB", "B": "A"}[m[0]], text)
    return text


assert set(LSystem.registry) == {"Koch", "Dragon", "Hilbert", "Plant", "Weed"}
assert [len(algae(n)) for n in range(8)] == [1, 2, 3, 5, 8, 13, 21, 34]
assert Koch().generation(1) == "F+F-F-F+F" and Koch().generation(3).count("F") == 125
assert Dragon().generation(3) == "F+G+F-G+F+G-F-G"
curve = Drawing(Hilbert().generation(3), 90)
assert len(curve.points) == 64 == len(set(curve.points))
assert curve.points is curve.points and "points" in vars(curve)
plain = "".join(c for c in Hilbert().generation(3) if c not in "AB")
assert Drawing(plain, 90).points == curve.points
assert str(Drawing(Koch().generation(1), 90)) == " oo \noooo"
dragon = Drawing(Dragon().generation(8), 90)
assert len(dragon.points) == 257 and math.dist(dragon.points[0], dragon.points[-1]) == 16
plant = Plant().generation(3)
assert plant.count("[") == plant.count("]") and len(Drawing(plant, Plant.angle).points) == plant.count("F") + 1
assert Weed(1).generation(4) == Weed(1).generation(4) != Weed(2).generation(4)
assert len(Weed(3).generation(4)) < len(Plant().generation(4))
print(dragon, Weed.__mro__[1].__name__, sep="\n")
