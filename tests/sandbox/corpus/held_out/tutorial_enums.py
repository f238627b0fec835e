from enum import Enum, IntEnum, IntFlag, Flag, auto, unique, StrEnum
import enum


@unique
class Weekday(Enum):
    MON = 1
    TUE = 2
    WED = 3
    SUN = 7

    @classmethod
    def weekend(cls):
        return [d for d in cls if d.value > 5]

    def __str__(self):
        return self.name.capitalize()


class Size(IntEnum):
    S = 1
    M = 2
    L = 3
    XL = L + 1


class Perm(IntFlag):
    R = 4
    W = 2
    X = 1
    RW = R | W


class Topping(Flag):
    CHEESE = auto()
    HAM = auto()
    OLIVES = auto()
    VEGGIE = CHEESE | OLIVES


class Color(StrEnum):
    RED = auto()
    GREEN = auto()


class Op(Enum):
    ADD = ("+", lambda a, b: a + b)
    MUL = ("*", lambda a, b: a * b)

    def __init__(self, symbol, fn):
        self.symbol = symbol
        self.fn = fn

    def __call__(self, a, b):
        return self.fn(a, b)

    @classmethod
    def _missing_(cls, value):
        for member in cls:
            if member.symbol == value:
                return member
        return None


class Shade(Enum):
    _ignore_ = ["n"]
    GREY = "grey"
    GRAY = "grey"

    @property
    def aliases(self):
        return [k for k, v in type(self).__members__.items() if v is self]


Animal = Enum("Animal", "CAT DOG COW", start=10)

assert Weekday(1) is Weekday.MON and Weekday["TUE"].value == 2
assert [str(d) for d in Weekday.weekend()] == ["Sun"]
assert Size.S < Size.XL == 4 and sorted([Size.L, Size.S])[0] is Size.S
assert Perm.R | Perm.W == Perm.RW and Perm.X not in Perm.RW and Perm(7) & Perm.X
assert Topping.CHEESE in Topping.VEGGIE and not Topping.HAM & Topping.VEGGIE
assert Color.RED == "red" and f"{Color.GREEN}!" == "green!"
assert Op("+")(2, 3) == 5 and Op.MUL(4, 5) == 20
assert Shade.GREY is Shade.GRAY and Shade.GRAY.aliases == ["GREY", "GRAY"]
assert Animal.COW.value == 12 and len(Animal) == 3
assert isinstance(Weekday, enum.EnumMeta)

print(repr(Weekday.MON), Weekday.WED, Size.M, repr(Perm.RW), Topping.VEGGIE, repr(Color.RED), Animal.DOG)
print(list(Perm.RW), [t.name for t in Topping])

for bad in (lambda: Weekday(9), lambda: Weekday["FRI"], lambda: Op("-"), lambda: setattr(Weekday, "MON", 2)):
    try:
        bad()
    except (ValueError, KeyError, AttributeError) as e:
        print(type(e).__name__, e)

try:
    @unique
    class Twice(Enum):
        A = 1
        B = 1
except ValueError as e:
    print(e)

try:
    class More(Weekday):
        FRI = 5
except TypeError as e:
    print(e)

moods = {Weekday.MON: "grumpy", Weekday.SUN: "happy"}
match Weekday(7):
    case Weekday.MON:
        raise AssertionError
    case Weekday.SUN as d:
        print(moods[d], hash(d) == hash(Weekday.SUN))
