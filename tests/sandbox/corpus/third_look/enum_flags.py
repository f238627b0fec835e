from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto, unique


class Perm(Flag):
    READ = auto()
    WRITE = auto()
    EXEC = auto()
    RW = READ | WRITE


class Weekday(IntEnum):
    MON = 1
    TUE = 2
    WED = 3

    @classmethod
    def from_name(cls, name: str) -> "Weekday":
        return cls[name.upper()]

    def next(self) -> "Weekday":
        members = list(type(self))
        return members[(members.index(self) + 1) % len(members)]


@unique
class Planet(Enum):
    MERCURY = (3.303e23, 2.4397e6)
    EARTH = (5.976e24, 6.37814e6)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def surface_gravity(self):
        G = 6.67300e-11
        return G * self.mass / (self.radius * self.radius)


class Suit(StrEnum):
    HEARTS = auto()
    SPADES = auto()

    @property
    def symbol(self):
        return {"hearts": "♥", "spades": "♠"}[self]


class Opcode(IntFlag):
    A = 1
    B = 2
    C = 4


class Color(Enum):
    RED = 1
    CRIMSON = 1
    BLUE = 2

    @classmethod
    def _missing_(cls, value):
        if isinstance(value, str):
            for m in cls:
                if m.name.lower() == value.lower():
                    return m
        return None


class Auto(Enum):
    def _generate_next_value_(name, start, count, last_values):
        return name.lower() + str(count)

    ALPHA = auto()
    BETA = auto()


assert Perm.READ | Perm.WRITE == Perm.RW
assert Perm.READ in Perm.RW and Perm.EXEC not in Perm.RW
assert (Perm.RW & ~Perm.WRITE) is Perm.READ
assert Weekday.from_name("tue").next() is Weekday.WED
assert Weekday.WED.next() == 1 and sorted([Weekday.WED, Weekday.MON])[0] is Weekday.MON
assert round(Planet.EARTH.surface_gravity, 2) == 9.8
assert Suit.HEARTS == "hearts" and Suit("spades").symbol == "♠"
assert f"{Suit.HEARTS}" == "hearts"
assert Opcode.A | Opcode.C == 5 and Opcode(3) == Opcode.A | Opcode.B
assert Color("red") is Color.CRIMSON and Color.CRIMSON.name == "RED"
assert list(Color.__members__) == ["RED", "CRIMSON", "BLUE"]
try:
    Color("green")
except ValueError as e:
    assert "green" in str(e)
try:
    @unique
    class Bad(Enum):
        X = 1
        Y = 1
except ValueError:
    pass
else:
    raise AssertionError
assert Auto.BETA.value == "beta1"
Animal = Enum("Animal", "CAT DOG")
assert Animal.DOG.value == 2 and repr(Animal.CAT) == "<Animal.CAT: 1>"
print([w.name for w in Weekday], Perm.RW)
