"""Robots that follow letters over a grid, and leave a scent where they fall."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar, Final, NewType

Commands = NewType("Commands", str)

INPUT: Final = """
5 3
1 1 E
RFRFRFRF

3 2 N
FRRFLLFFRRFLL

0 3 W
LLFFFLFLFL
"""


class Heading(Enum):
    N = (0, 1)
    E = (1, 0)
    S = (0, -1)
    W = (-1, 0)

    def turned(self, quarters: int) -> Heading:
        members = list(Heading)
        return members[(members.index(self) + quarters) % len(members)]

    arrow = property(lambda self: {"N": "^", "E": ">", "S": "v", "W": "<"}[self.name])


@dataclass(frozen=True, kw_only=True)
class Robot:
    x: int
    y: int
    heading: Heading
    lost: bool = False

    _actions: ClassVar[dict[str, Callable[[Robot], Robot]]] = {}

    @classmethod
    def action(cls, letter: str):
        def register(function):
            cls._actions[letter] = function
            return function

        return register

    def obey(self, letter: str) -> Robot:
        try:
            return self._actions[letter](self)
        except KeyError as e:
            raise UnknownCommand(letter) from e

    def __str__(self) -> str:
        return f"{self.x} {self.y} {self.heading.name}{' LOST' * self.lost}"


class UnknownCommand(ValueError):
    def __str__(self) -> str:
        return f"robots don't understand {self.args[0]!r}"

Robot.action("L")(lambda robot: replace(robot, heading=robot.heading.turned(-1)))
Robot.action("R")(lambda robot: replace(robot, heading=robot.heading.turned(+1)))


@Robot.action("F")
def forward(robot: Robot) -> Robot:
    dx, dy = robot.heading.value
    return replace(robot, x=robot.x + dx, y=robot.y + dy)


class Mars:
    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.scents: set[tuple[int, int]] = set()
        self.tracks: dict[tuple[int, int], str] = {}

    def __contains__(self, robot: Robot) -> bool:
        return 0 <= robot.x <= self.width and 0 <= robot.y <= self.height

    def drive(self, robot: Robot, commands: Commands) -> Robot:
        for letter in commands:
            self.tracks[robot.x, robot.y] = robot.heading.arrow
            after = robot.obey(letter)
            if after in self:
                robot = after
            elif (here := (robot.x, robot.y)) not in self.scents:
                self.scents.add(here)
                return replace(robot, lost=True)
        return robot

    def chart(self) -> str:
        return "\n".join(
            "".join("!" if (x, y) in self.scents else self.tracks.get((x, y), ".") for x in range(self.width + 1))
            for y in range(self.height, -1, -1)
        )


def parse(text: str) -> tuple[Mars, Iterator[tuple[Robot, Commands]]]:
    head, _, body = text.strip().partition("\n")
    mars = Mars(*map(int, head.split()))

    def robots():
        for m in re.finditer(r"(\d+) (\d+) ([NESW])\n([A-Z]+)", body):
            x, y, heading, commands = m.groups()
            yield Robot(x=int(x), y=int(y), heading=Heading[heading]), Commands(commands)

    return mars, robots()


def test_sample():
    mars, robots = parse(INPUT)
    reports = [str(mars.drive(*pair)) for pair in robots]
    assert reports == ["1 1 E", "3 3 N LOST", "2 3 S"]
    assert mars.scents == {(3, 3)}
    print(mars.chart())
    assert mars.chart().splitlines()[0][3] == "!"


def test_turning_round():
    robot = Robot(x=2, y=2, heading=Heading.N)
    for letters in ("LLLL", "RRRR", "LR", "FRFRFRFR"):
        assert Mars(5, 5).drive(robot, Commands(letters)) == robot, letters
    assert Heading((0, -1)) is Heading.S and [h.turned(2).name for h in Heading] == list("SWNE")


def test_errors():
    try:
        Robot(x=0, y=0, heading=Heading.E).obey("Z")
    except UnknownCommand as e:
        assert str(e) == "robots don't understand 'Z'" and isinstance(e.__cause__, KeyError)
    else:
        raise AssertionError
    try:
        Robot(0, 0, Heading.N)
    except TypeError as e:
        print(e)


if __name__ == "__main__":
    test_sample()
    test_turning_round()
    test_errors()
