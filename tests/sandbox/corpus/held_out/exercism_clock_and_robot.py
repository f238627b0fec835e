from random import choice, choices, seed
from string import ascii_uppercase, digits


class Clock:
    def __init__(self, hour, minute):
        self.minutes = (hour * 60 + minute) % 1440

    def __repr__(self):
        return f"Clock({self.minutes // 60}, {self.minutes % 60})"

    def __str__(self):
        return "{:02d}:{:02d}".format(*divmod(self.minutes, 60))

    def __eq__(self, other):
        return self.minutes == other.minutes

    def __add__(self, minutes):
        return Clock(0, self.minutes + minutes)

    def __sub__(self, minutes):
        return self + -minutes


class Robot:
    __names = set()

    def __init__(self):
        self.reset()

    def reset(self):
        while True:
            name = "".join(choices(ascii_uppercase, k=2) + choices(digits, k=3))
            if name not in Robot.__names:
                break
        Robot.__names.add(name)
        self.__name = name

    @property
    def name(self):
        return self.__name


NORTH, EAST, SOUTH, WEST = range(4)


class Allergies:
    ITEMS = "eggs peanuts shellfish strawberries tomatoes chocolate pollen cats".split()

    def __init__(self, score):
        self.score = score

    def allergic_to(self, item):
        return bool(self.score & 1 << self.ITEMS.index(item))

    @property
    def lst(self):
        return [item for item in self.ITEMS if self.allergic_to(item)]


def test_clock():
    assert str(Clock(8, 0)) == "08:00"
    assert str(Clock(-1, 15)) == "23:15"
    assert str(Clock(201, 3001)) == "11:01"
    assert repr(Clock(12, 0)) == "Clock(12, 0)"
    assert Clock(0, 45) + 40 == Clock(1, 25)
    assert str(Clock(2, 20) - 3000) == "00:20"
    assert Clock(5, 10) != Clock(5, 11)


def test_robot():
    seed("robots")
    robots = [Robot() for _ in range(50)]
    assert len({r.name for r in robots}) == 50
    old = robots[0].name
    robots[0].reset()
    assert robots[0].name != old
    try:
        robots[0].name = "HA123"
    except AttributeError as e:
        print("good:", type(e).__name__)
    else:
        raise AssertionError("name must be read only")
    assert robots[1]._Robot__name == robots[1].name


def test_allergies():
    assert Allergies(34).lst == ["peanuts", "chocolate"]
    assert Allergies(509).lst == ["eggs", "shellfish", "strawberries", "tomatoes", "chocolate", "pollen", "cats"]


for k, v in list(globals().items()):
    if k.startswith("test_") and callable(v):
        v()
        print(k, "passed")
print(choice([1]))
