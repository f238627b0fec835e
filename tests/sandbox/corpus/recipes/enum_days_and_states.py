import enum
from enum import Enum, IntEnum, StrEnum, auto, unique


class Color(Enum):
    RED = auto()
    GREEN = auto()
    BLUE = auto()
    CRIMSON = RED  # alias

    def __str__(self):
        return self.name.title()

    @classmethod
    def default(cls):
        return cls.GREEN

    @property
    def next(self):
        members = list(type(self))
        return members[(members.index(self) + 1) % len(members)]


class Weekday(IntEnum):
    MONDAY = 1
    TUESDAY = 2
    WEDNESDAY = 3
    THURSDAY = 4
    FRIDAY = 5
    SATURDAY = 6
    SUNDAY = 7

    @property
    def is_weekend(self):
        return self >= Weekday.SATURDAY

    def __add__(self, days):
        return Weekday((int(self) - 1 + days) % 7 + 1)


class Method(StrEnum):
    GET = auto()
    POST = auto()
    DELETE = "delete!"

    @classmethod
    def _missing_(cls, value):
        for member in cls:
            if member.name.lower() == str(value).lower():
                return member
        return None


class Status(Enum):
    UNKNOWN = -1
    OK = 200
    NOT_FOUND = 404

    @classmethod
    def _missing_(cls, value):
        if isinstance(value, int):
            return cls.UNKNOWN


class AutoName(Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower().replace("_", "-")


class Ordinal(AutoName):
    NORTH = auto()
    SOUTH_WEST = auto()


class OrderedEnum(Enum):
    def __ge__(self, other):
        if self.__class__ is other.__class__:
            return self.value >= other.value
        return NotImplemented

    def __lt__(self, other):
        if self.__class__ is other.__class__:
            return self.value < other.value
        return NotImplemented


class Grade(OrderedEnum):
    A = 5
    B = 4
    F = 1


class Light(Enum):
    GREEN = "green", 20
    YELLOW = "yellow", 3
    RED = "red", 15

    def __init__(self, label, seconds):
        self.label = label
        self.seconds = seconds

    def after(self):
        return {Light.GREEN: Light.YELLOW, Light.YELLOW: Light.RED, Light.RED: Light.GREEN}[self]


class Op(Enum):
    ADD = "+"
    SUB = "-"

    def __call__(self, a, b):
        match self:
            case Op.ADD:
                return a + b
            case Op.SUB:
                return a - b


def run():
    assert [c.value for c in Color] == [1, 2, 3]
    assert Color.CRIMSON is Color.RED and Color(1) is Color["RED"]
    assert str(Color.BLUE) == "Blue" and repr(Color.RED) == "<Color.RED: 1>"
    assert Color.BLUE.next is Color.RED and Color.default() is Color.GREEN
    assert list(Color.__members__) == ["RED", "GREEN", "BLUE", "CRIMSON"]
    assert Color.RED in Color and len(Color) == 3
    assert Color.RED != 1 and {Color.RED: "r"}[Color.CRIMSON] == "r"
    try:
        Color(9)
    except ValueError as e:
        assert str(e) == "9 is not a valid Color"
    try:
        Color.RED = 4
    except AttributeError:
        pass
    else:
        raise AssertionError

    day = Weekday.FRIDAY
    assert day + 3 is Weekday.MONDAY and not day.is_weekend and (day + 1).is_weekend
    assert day < 6 and sum([Weekday.MONDAY, 2]) == 3
    assert f"{day:>3}" == "  5" and day.name.capitalize() == "Friday"
    assert ["a", "b", "c"][Weekday.MONDAY] == "b"

    assert Method.GET == "get" and f"{Method.DELETE}" == "delete!"
    assert Method("GET") is Method.GET and Method("Post").upper() == "POST"
    try:
        Method("brew")
    except ValueError as e:
        assert "'brew' is not a valid Method" in str(e)
    assert Status(418) is Status.UNKNOWN and Status(404).name == "NOT_FOUND"

    assert Ordinal.SOUTH_WEST.value == "south-west"
    assert Grade.A > Grade.F and sorted(Grade) == [Grade.F, Grade.B, Grade.A]
    try:
        Grade.A < Color.RED
    except TypeError:
        pass
    else:
        raise AssertionError

    light, clock = Light.RED, 0
    for _ in range(4):
        clock += light.seconds
        light = light.after()
    assert (light, clock) == (Light.GREEN, 53)
    assert Op("+")(2, 3) == 5 and Op.SUB(2, 3) == -1

    Animal = Enum("Animal", "ANT BEE CAT")
    assert Animal.BEE.value == 2 and [a.name for a in Animal] == ["ANT", "BEE", "CAT"]
    Size = IntEnum("Size", {"S": 10, "L": 30})
    assert Size.L > Size.S and Size(10) is Size.S
    try:
        @unique
        class Mistake(Enum):
            ONE = 1
            UNO = 1
    except ValueError as e:
        assert "UNO -> ONE" in str(e)
    else:
        raise AssertionError
    assert isinstance(Color.RED, enum.Enum)


run()
print(*Weekday, sep=" ")
