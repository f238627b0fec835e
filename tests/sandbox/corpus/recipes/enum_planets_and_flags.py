"""Planets with attributes, flags with arithmetic, and a few enum idioms."""
from enum import CONTINUOUS, Enum, Flag, IntFlag, auto, member, nonmember, property, verify
from enum import UNIQUE
from functools import reduce
from operator import or_


class Planet(Enum):
    MERCURY = (3.303e+23, 2.4397e6)
    VENUS   = (4.869e+24, 6.0518e6)
    EARTH   = (5.976e+24, 6.37814e6)
    MARS    = (6.421e+23, 3.3972e6)

    def __init__(self, mass, radius):
        self.mass = mass       # in kilograms
        self.radius = radius   # in meters

    @property
    def surface_gravity(self):
        G = 6.67300E-11
        return G * self.mass / (self.radius * self.radius)

    def weight(self, kilos):
        return kilos * self.surface_gravity / Planet.EARTH.surface_gravity


class Perm(Flag):
    NONE = 0
    EXECUTE = auto()
    WRITE = auto()
    READ = auto()
    ALL = READ | WRITE | EXECUTE

    @classmethod
    def parse(cls, text):
        letters = dict(zip("rwx", (cls.READ, cls.WRITE, cls.EXECUTE)))
        return reduce(or_, (letters[c] for c in text if c != "-"), cls.NONE)

    def show(self):
        return "".join(c if p in self else "-" for c, p in zip("rwx", (Perm.READ, Perm.WRITE, Perm.EXECUTE)))


class Style(IntFlag):
    BOLD = 1
    ITALIC = 2
    UNDER = 4


class Coordinate(bytes, Enum):
    """Coordinates with binary codes, built by __new__."""

    def __new__(cls, value, label, unit):
        obj = bytes.__new__(cls, [value])
        obj._value_ = value
        obj.label = label
        obj.unit = unit
        return obj

    PX = (0, "P.X", "km")
    PY = (1, "P.Y", "km")
    VX = (2, "V.X", "km/s")


class DuplicateFreeEnum(Enum):
    def __init__(self, *args):
        cls = self.__class__
        if any(self.value == e.value for e in cls):
            a = self.name
            e = cls(self.value).name
            raise ValueError("aliases not allowed: %r --> %r" % (a, e))


@verify(UNIQUE, CONTINUOUS)
class Level(Enum):
    LOW = 1
    MID = 2
    HIGH = 3


class Shape(Enum):
    SQUARE = 4
    sides_of = nonmember(lambda self: self.value)
    triangle = member(3)


def table():
    lines = []
    for planet in Planet:
        lines.append('{0.name:<8}{0.surface_gravity:>7.2f} m/s2 {1:>6.1f} kg'.format(planet, planet.weight(70)))
    return '\n'.join(lines)


def main():
    text = table()
    print(text)
    assert text.splitlines()[3] == 'MARS       3.71 m/s2   26.5 kg'
    assert Planet.EARTH.value == (5.976e+24, 6.37814e6)
    assert min(Planet, key=lambda p: p.radius) is Planet.MERCURY

    rw = Perm.READ | Perm.WRITE
    assert rw.show() == 'rw-' and Perm.parse('r-x') == Perm.READ | Perm.EXECUTE
    assert Perm.READ in rw and Perm.EXECUTE not in rw
    assert ~rw == Perm.EXECUTE and rw ^ Perm.READ == Perm.WRITE
    assert not (rw & Perm.EXECUTE) and bool(rw)
    assert list(rw) == [Perm.WRITE, Perm.READ] and len(rw) == 2
    assert Perm.ALL == Perm(7) and Perm.ALL.value == 7
    assert (rw | Perm.EXECUTE) is Perm.ALL
    assert Perm.NONE.show() == '---'
    rw &= ~Perm.WRITE
    assert rw is Perm.READ and rw.name == 'READ'
    assert (Perm.READ | Perm.WRITE).name == 'WRITE|READ'

    s = Style.BOLD | Style.UNDER
    assert s == 5 and s + 1 == 6 and isinstance(s & 4, Style)
    assert 0b1000 | Style.BOLD == 9

    assert Coordinate.PY == b'\x01' and Coordinate.PY.unit == 'km'
    assert Coordinate(2).label == 'V.X' and Coordinate.VX.value == 2

    try:
        class Letters(DuplicateFreeEnum):
            alpha = 1
            beta = 2
            first = 1
    except ValueError as e:
        assert str(e) == "aliases not allowed: 'first' --> 'alpha'"
    else:
        raise AssertionError('duplicate accepted')
    try:
        @verify(CONTINUOUS)
        class Gappy(Enum):
            A = 1
            B = 4
    except ValueError as e:
        assert 'missing values' in str(e)
    assert [m.name for m in Shape] == ['SQUARE', 'triangle']
    assert Shape.SQUARE.sides_of() == 4 and Level.HIGH.value - Level.LOW.value == 2


if __name__ == '__main__':
    main()
