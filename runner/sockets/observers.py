"""Who wants to know which connections are present at which topics, and what they may say to them.

All is called on the event loop of the connections, in the order of what happens, and must not wait;
what takes time is a task of the attendant's own.
"""

import contextlib
import logging
from collections.abc import Iterator, Sequence
from typing import Protocol

from runner.registry import Actor

log = logging.getLogger(__name__)


class Visitor(Protocol):
    """One connection, for as long as it is open; equal to itself alone."""

    @property
    def actor(self) -> Actor:
        """Who is signed in on it, or nobody."""

    def post(self, topic: str, kind: str, frame: str) -> None:
        """Have this frame sent when the socket takes it, if the topic is still followed then.

        A frame that has not been sent yet is replaced by a later one of the same topic and kind.
        So it should say how things are, not what has changed.
        """


class Attendant(Protocol):
    """One that is told of visitors."""

    def came(self, visitor: Visitor, topic: str, /) -> None:
        """It follows the topic, permitted, and said that it is present; told once for both."""

    def left(self, visitor: Visitor, topic: str, /) -> None:
        """It follows the topic no more; this comes for all its topics before it has ended, too."""

    def stays(self, visitor: Visitor, topics: Sequence[str], /) -> None:
        """It is still there, and follows these; told with each of its heartbeats."""

    def ended(self, visitor: Visitor, /) -> None:
        """It has been closed, or was lost; told once of each that has ever come."""


attendants: list[Attendant] = []


def register_attendant(attendant: Attendant) -> None:
    """Have this told of all visitors of this process."""
    attendants.append(attendant)


def came(visitor: Visitor, topic: str) -> None:
    for attendant in attendants:
        with _kept_going():
            attendant.came(visitor, topic)


def left(visitor: Visitor, topic: str) -> None:
    for attendant in attendants:
        with _kept_going():
            attendant.left(visitor, topic)


def stays(visitor: Visitor, topics: Sequence[str]) -> None:
    for attendant in attendants:
        with _kept_going():
            attendant.stays(visitor, topics)


def ended(visitor: Visitor) -> None:
    for attendant in attendants:
        with _kept_going():
            attendant.ended(visitor)


@contextlib.contextmanager
def _kept_going() -> Iterator[None]:
    """Let no attendant's mistake end a connection."""
    try:
        yield
    except Exception:
        log.exception("an attendant has failed")
