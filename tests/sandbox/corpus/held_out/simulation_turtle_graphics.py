"""A turtle that draws to SVG paths and to text."""
import cmath
import math
from contextlib import contextmanager
from string import Template
import xml.etree.ElementTree as ET


class Turtle:
    def __init__(self):
        self.pos = 0j
        self.heading = 1 + 0j
        self.down = True
        self.lines = []
        self._stack = []

    def forward(self, d):
        new = self.pos + d * self.heading
        if self.down:
            self.lines.append((self.pos, new))
        self.pos = new
        return self

    fd = forward

    def left(self, degrees):
        self.heading *= cmath.rect(1, math.radians(degrees))
        return self

    def right(self, degrees):
        return self.left(-degrees)

    lt, rt = left, right

    @contextmanager
    def pen_up(self):
        self.down = False
        yield self
        self.down = True

    def push(self):
        self._stack.append((self.pos, self.heading))

    def pop(self):
        self.pos, self.heading = self._stack.pop()

    def run(self, program):
        names = {"F": self.forward, "L": self.left, "R": self.right}
        for word in program.split():
            if word == "[":
                self.push()
            elif word == "]":
                self.pop()
            else:
                names[word[0]](float(word[1:]))
        return self

    @property
    def length(self):
        return sum(abs(b - a) for a, b in self.lines)

    def bounds(self):
        pts = [p for line in self.lines for p in line]
        xs, ys = [p.real for p in pts], [p.imag for p in pts]
        return min(xs), min(ys), max(xs), max(ys)

    def svg(self):
        x0, y0, x1, y1 = self.bounds()
        path = " ".join(f"M{a.real:.1f},{-a.imag:.1f}L{b.real:.1f},{-b.imag:.1f}" for a, b in self.lines)
        return Template('<svg viewBox="$box"><path d="$d"/></svg>').substitute(
            box=f"{x0:.0f} {-y1:.0f} {x1 - x0:.0f} {y1 - y0:.0f}", d=path)

    def text(self, w=32, h=12):
        x0, y0, x1, y1 = self.bounds()
        canvas = [[" "] * w for _ in range(h)]
        for a, b in self.lines:
            for k in range(41):
                p = a + (b - a) * k / 40
                col = round((p.real - x0) / ((x1 - x0) or 1) * (w - 1))
                row = round((y1 - p.imag) / ((y1 - y0) or 1) * (h - 1))
                canvas[row][col] = "#"
        return "\n".join("".join(r).rstrip() for r in canvas)


def koch(t, size, n):
    if n == 0:
        t.fd(size)
        return
    for angle in (60, -120, 60, 0):
        koch(t, size / 3, n - 1)
        t.left(angle)


square = Turtle()
for _ in range(4):
    square.fd(10).lt(90)
assert abs(square.pos) < 1e-9 and math.isclose(square.length, 40)
print(square.text(11, 5))

flake = Turtle()
for _ in range(3):
    koch(flake, 27, 2)
    flake.right(120)
assert len(flake.lines) == 3 * 4 ** 2
assert math.isclose(flake.length, 3 * 27 * (4 / 3) ** 2)
print(flake.text())

tree = Turtle().run("L90 F5 [ L30 F3 ] [ R30 F3 ] F2")
assert len(tree.lines) == 4 and not tree._stack
with tree.pen_up() as t:
    t.fd(100)
assert len(tree.lines) == 4 and tree.down
root = ET.fromstring(square.svg())
print(ET.tostring(root).decode())
assert root.tag == "svg" and root.find("path").get("d").count("L") == 4
assert root.attrib["viewBox"].endswith("0 -10 10 10")
