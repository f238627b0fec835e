"""The entry of a run's processes for each role, and a rehearsal that warms them up.

Python specialises code while it runs, which writes to it, and a forked process copies each page at
the first write. These are most of a small run's cost. So a rehearsal run specialises the code and
copies the pages that all runs use.
"""

from __future__ import annotations

import os
import random
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from runner.sandbox.border.protocol import Channel, Gone
from runner.sandbox.javascript import context
from runner.sandbox.language import environment
from runner.sandbox.process import cases, subject
from runner.sandbox.process.judge import Judge
from runner.sandbox.process.output import Output
from runner.sandbox.programs import Module, Program
from runner.sandbox.report.results import Result
from runner.sandbox.supervisor.placement import content_of, place
from runner.sandbox.supervisor.protocol import Content, Role

_NAME = "Rehearsal"
_IMPLEMENTATION = f"""
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

def {_NAME}(text: str) -> dict:
    tokens = sorted(Reader(text), key=lambda token: token.text)
    match tokens:
        case [Token(kind=Kind.NUMBER), *rest]:
            return dict(Counter(token.kind.value for token in rest))
    raise ValueError(f"no number in {{text!r}}")
"""
_TEST = f"""
def test_rehearsal():
    assert {_NAME}("a 1 2") == {{"word": 1, "number": 1}}
    try:
        {_NAME}("a")
    except ValueError as error:
        assert "no number" in str(error)

assert {_NAME}("a 1 2") == {{"word": 1, "number": 1}}
"""


class Roles:
    """Acts as a judge, a subject or an aide; made in the zygote before it forks."""

    def __init__(self) -> None:
        self._rehearsal: _Rehearsal | None = None

    def prepare(self, output: Output) -> None:
        """Prepare for runs, while files can be read."""
        cases.preload()
        context.prepare()
        environment.prepare(output)
        self._rehearsal = _Rehearsal()

    def warm(self) -> None:
        """Do what all runs do."""
        if self._rehearsal is not None:
            self._rehearsal.perform()

    def __call__(self, content: Content, output: Output, borders: list[int]) -> Result | None:
        """Run one process's part of a program; return the result if it is the judge."""
        return _act(content, output, *map(Channel, borders))


def _act(content: Content, output: Output, *channels: Channel) -> Result | None:
    if content["role"] == Role.JUDGE:
        return Judge(content, output, channels).run()
    subject.run(content, output, channels[0])
    return None


class _Silence(Output):
    """Discards the frames of a rehearsal."""

    def _send(self, frames: bytes | bytearray) -> None:
        """Do nothing."""


class _Recorder(Channel):
    """Records the data sent and received."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor)
        self.sent: list[bytes] = []
        self.received: list[bytes] = []

    def _write(self, data: bytes) -> None:
        self.sent.append(data)
        super()._write(data)

    def _read(self) -> bytes:
        self.received.append(super()._read())
        return self.received[-1]


class _Replay(Channel):
    """Receives recorded data, and ignores what is sent."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__(-1)
        self._pieces = iter(pieces)

    def _write(self, data: bytes) -> None:
        """Do nothing."""

    def _read(self) -> bytes:
        for piece in self._pieces:
            return piece
        raise Gone("the rehearsal is over")


class _Rehearsal:
    """A test run of a fixed program.

    The constructor runs it in two processes and records their messages; `perform` replays both
    parts in one process, without waiting for another.
    """

    def __init__(self) -> None:
        modules = (Module(_NAME, _IMPLEMENTATION), Module("test", _TEST, (_NAME,)))
        program = Program(modules, "test", _NAME, returns="dict[str, int]")
        placements = place(program)
        self._test, self._tested = (content_of(program, placements, n, [None]) for n in (0, 1))
        ours, theirs = socket.socketpair()
        with ours, theirs:
            pid = os.fork()
            if not pid:
                ours.close()
                _rehearse(self._tested, Channel(theirs.fileno()))
                os._exit(0)
            theirs.close()
            self._recorder = _Recorder(ours.fileno())
            _rehearse(self._test, self._recorder)
        os.waitpid(pid, 0)

    def perform(self) -> None:
        """Run both parts, one after the other."""
        _rehearse(self._test, _Replay(self._recorder.received))
        _rehearse(self._tested, _Replay(self._recorder.sent))


def _rehearse(content: Content, channel: Channel) -> None:
    with _leaving_nothing():
        result = _act(content, _Silence(-1), channel)
    if result is not None:
        raise RuntimeError(f"the rehearsal failed: {result['message']}")


@contextmanager
def _leaving_nothing() -> Iterator[None]:
    """Undo the visible effects of a run."""
    before, seed = set(sys.modules), random.seed
    yield
    random.seed = seed
    for name in set(sys.modules) - before:
        del sys.modules[name]


roles = Roles()
