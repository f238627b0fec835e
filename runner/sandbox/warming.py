"""Programs that a waiting child runs, so that memory which most programs touch is its own by then.

Copying a page upon its first write is most of what a small run costs.
"""

from __future__ import annotations

import marshal

from runner.sandbox.compilation import compile_module
from runner.sandbox.programs import Limits
from runner.sandbox.protocol import Content

_SMALL = ("Warming", "def Warming(x: int) -> list[str]:\n    return [f'{n}' for n in range(x)]\n")

_LARGE = (
    "Warming",
    """
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    WORD = "word"
    NUMBER = "number"


@dataclass(frozen=True)
class Token:
    kind: Kind
    text: str
    notes: list = field(default_factory=list)


PATTERN = re.compile(r"\\s*(?:(?P<word>[a-z]+)|(?P<number>\\d+(?:\\.\\d+)?))")


class Reader:
    def __init__(self, text):
        self.text = text
        self.seen = defaultdict(int)

    def __iter__(self):
        for found in PATTERN.finditer(self.text):
            kind = Kind(found.lastgroup)
            self.seen[kind] += 1
            yield Token(kind, found[found.lastgroup])


def Warming(text):
    reader = Reader(text)
    tokens = sorted(reader, key=lambda token: token.text)
    match tokens:
        case [Token(kind=Kind.NUMBER), *rest]:
            return Counter(token.kind.value for token in rest)
    raise ValueError(f"no number in {text!r}")
""",
)


def _content(
    module: tuple[str, str], test: str, code: bytes | None = None, code_of_test: bytes | None = None
) -> Content:
    return (
        b"",
        [(*module, (), code), ("test", test, ("Warming",), code_of_test)],
        "test",
        "Warming",
        Limits().by_name,
        b"",
        "",
        "function",
    )


def programs() -> tuple[Content, ...]:
    """What to run; compiling one small test is enough to warm the compiler."""
    test = "assert Warming('a 1 2') == {'word': 1, 'number': 1}\n"
    return (
        _content(_LARGE, test, _code(_LARGE)),
        _content(_SMALL, "try:\n    assert Warming(2) == 2\nexcept AssertionError: pass\n"),
    )


def rehearsal() -> Content:
    """A program as most are: nothing of it has to be compiled, and it passes."""
    test = "assert Warming(2) == ['0', '1']\n"
    return _content(_SMALL, test, _code(_SMALL), _code(("test", test)))


def _code(module: tuple[str, str]) -> bytes:
    name, source = module
    return marshal.dumps(compile_module(source, name=name))
