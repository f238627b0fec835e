"""Runs of nobody's programs, so that what all runs touch is in memory, and adapted, before one.

Python adapts code to what it is used for, and writes that into it; and a page that a forked process
writes to first is copied then. Both are most of what a small run costs.
"""

from __future__ import annotations

import os
import random
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from runner.sandbox.border.protocol import Channel, Gone
from runner.sandbox.process import judge, subject
from runner.sandbox.process.output import Output
from runner.sandbox.programs import Limits
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


class _Silence(Output):
    """For runs that are nobody's."""

    def _send(self, frames: bytes | bytearray) -> None:
        """Nobody listens."""


class _Recorder(Channel):
    """Keeps what is sent, and what comes."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor)
        self.sent: list[bytes] = []
        self.received: list[bytes] = []

    def _write(self, data: bytes) -> None:
        self.sent.append(data)
        super()._write(data)

    def _read(self, most: int = 0) -> bytes:
        self.received.append(super()._read(most))
        return self.received[-1]


class _Replay(Channel):
    """Gives what somebody has sent before, whatever is sent there now."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__(-1)
        self._pieces = iter(pieces)

    def _write(self, data: bytes) -> None:
        """Nobody reads it."""

    def _read(self, most: int = 0) -> bytes:  # noqa: ARG002
        for piece in self._pieces:
            return piece
        raise Gone("the rehearsal is over")


class Rehearsal:
    """A run of a program of ours, recorded when this is made, by forking; then either part alone.

    What the other part says is known, so that neither waits for another process.
    """

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            pid = os.fork()
            if not pid:
                ours.close()
                _act_subject(Channel(theirs.fileno()))
                os._exit(0)
            theirs.close()
            recorder = _Recorder(ours.fileno())
            _act_judge(recorder)
        os.waitpid(pid, 0)
        self._sent, self._received = recorder.sent, recorder.received

    def perform(self) -> None:
        """Act both parts, one after the other."""
        _act_judge(_Replay(self._received))
        _act_subject(_Replay(self._sent))


def _act_judge(channel: Channel) -> None:
    with _leaving_nothing():
        content = _content(Role.JUDGE, ("test", _TEST, (_NAME,), None))
        result = judge.run(content, _Silence(-1), [channel])
    if result is not None:
        raise RuntimeError(f"the rehearsal failed: {result['message']}")


def _act_subject(channel: Channel) -> None:
    with _leaving_nothing():
        content = _content(Role.SUBJECT, (_NAME, _IMPLEMENTATION, (), None))
        subject.run(content, _Silence(-1), channel)


def _content(role: Role, module: tuple[str, str, tuple[str, ...], bytes | None]) -> Content:
    return Content(
        role=role.value,
        token=b"",
        began=time.perf_counter(),
        modules=[module],
        given=[[_NAME]],
        offers=[_NAME],
        shared=[],
        names=[_NAME, "test"],
        entry="test",
        kind="function",
        subject=_NAME,
        returns="dict[str, int]",
        limits=Limits().by_name,
        seed=b"",
        arguments="",
    )


@contextmanager
def _leaving_nothing() -> Iterator[None]:
    """Afterwards, no program seems to have been run."""
    before, seed = set(sys.modules), random.seed
    yield
    random.seed = seed
    for name in set(sys.modules) - before:
        del sys.modules[name]
