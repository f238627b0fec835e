"""Programs of the sandbox's benchmarks: a tiny one, a realistic one, and 20 tests."""

from __future__ import annotations

from runner.sandbox import Module, Program

TINY = Program(
    (
        Module("Add", "def Add(a, b): return a + b\n"),
        Module("test", "assert Add(1, 2) == 3", ("Add",)),
    ),
    "test",
    "Add",
)

_MEDIUM_SOURCE = r'''
"""Evaluates arithmetic: a tokenizer, a parser and a tree, as people write them."""

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from math import prod


class Kind(Enum):
    NUMBER = "number"
    SIGN = "sign"
    OPEN = "open"
    CLOSE = "close"


@dataclass(frozen=True)
class Token:
    kind: Kind
    text: str
    place: int


@dataclass
class Node:
    sign: str
    children: list = field(default_factory=list)
    value: float = 0.0

    def evaluate(self) -> float:
        values = [child.evaluate() for child in self.children]
        match self.sign, values:
            case "number", []:
                return self.value
            case "+", _:
                return sum(values)
            case "-", [only]:
                return -only
            case "-", [first, *rest]:
                return first - sum(rest)
            case "*", _:
                return prod(values)
            case "/", [first, *rest]:
                return reduce(lambda a, b: a / b, rest, first)
            case _:
                raise ValueError(f"no meaning: {self.sign!r} of {len(values)}")


PATTERN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<sign>[-+*/])|(?P<open>\()|(?P<close>\)))"
)


def tokens(text: str):
    place = 0
    while place < len(text.rstrip()):
        found = PATTERN.match(text, place)
        if not found:
            raise SyntaxError(f"at {place}: {text[place:]!r}")
        yield Token(Kind(found.lastgroup), found[found.lastgroup], place)
        place = found.end()


class Parser:
    LEVELS = ("+-", "*/")

    def __init__(self, text: str) -> None:
        self.rest = list(tokens(text))
        self.seen = Counter(token.kind for token in self.rest)

    def next_is(self, signs: str) -> bool:
        return bool(self.rest) and self.rest[0].text in signs

    def parse(self, level: int = 0) -> Node:
        if level == len(self.LEVELS):
            return self.parse_one()
        left = self.parse(level + 1)
        while self.next_is(self.LEVELS[level]):
            sign = self.rest.pop(0).text
            left = Node(sign, [left, self.parse(level + 1)])
        return left

    def parse_one(self) -> Node:
        token = self.rest.pop(0)
        if token.kind is Kind.NUMBER:
            return Node("number", value=float(token.text))
        if token.text == "-":
            return Node("-", [self.parse_one()])
        node = self.parse()
        self.rest.pop(0)
        return node


def Evaluate(text: str) -> float:
    return Parser(text).parse().evaluate()
'''

MEDIUM = Program(
    (
        Module("Evaluate", _MEDIUM_SOURCE),
        Module("test", "assert Evaluate('2 * (3 + 4) - 10 / 4') == 11.5", ("Evaluate",)),
    ),
    "test",
    "Evaluate",
)


def twenty(version: object) -> list[Program]:
    """Return 20 different tests of one implementation, which is new for each version."""
    implementation = Module("Evaluate", f"{_MEDIUM_SOURCE}\n# Version {version}.\n")
    return [
        Program(
            (
                implementation,
                Module(
                    "test",
                    f"assert Evaluate('{n} * (3 + 4) - 10 / 4') == {7 * n - 2.5}",
                    ("Evaluate",),
                ),
            ),
            "test",
            "Evaluate",
        )
        for n in range(20)
    ]
