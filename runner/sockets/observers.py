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


class Connection(Protocol):
    """One connection, for as long as it is open; equal to itself alone."""

    @property
    def actor(self) -> Actor:
        """Who is signed in on it, or nobody."""

    def post(self, topic: str, kind: str, frame: str) -> None:
        """Have this frame sent when the socket takes it, if the topic is still followed then.

        A frame that has not been sent yet is replaced by a later one of the same topic and kind.
        So it should say how things are, not what has changed.
        """


class ConnectionObserver(Protocol):
    """One that is told of visitors."""

    def on_join(self, connection: Connection, topic: str, /) -> None:
        """It follows the topic, permitted, and said that it is present; told once for both."""

    def on_leave(self, connection: Connection, topic: str, /) -> None:
        """It follows the topic no more; this comes for all its topics before it has ended, too."""

    def on_heartbeat(self, connection: Connection, topics: Sequence[str], /) -> None:
        """It is still there, and follows these; told with each of its heartbeats."""

    def on_close(self, connection: Connection, /) -> None:
        """It has been closed, or was lost; told once of each that has ever come."""


observers: list[ConnectionObserver] = []


def register_observer(observer: ConnectionObserver) -> None:
    """Have this told of all visitors of this process."""
    observers.append(observer)


def notify_joined(connection: Connection, topic: str) -> None:
    for observer in observers:
        with _logged_errors():
            observer.on_join(connection, topic)


def notify_left(connection: Connection, topic: str) -> None:
    for observer in observers:
        with _logged_errors():
            observer.on_leave(connection, topic)


def notify_heartbeat(connection: Connection, topics: Sequence[str]) -> None:
    for observer in observers:
        with _logged_errors():
            observer.on_heartbeat(connection, topics)


def notify_closed(connection: Connection) -> None:
    for observer in observers:
        with _logged_errors():
            observer.on_close(connection)


@contextlib.contextmanager
def _logged_errors() -> Iterator[None]:
    """Let no attendant's mistake end a connection."""
    try:
        yield
    except Exception:
        log.exception("an attendant has failed")
