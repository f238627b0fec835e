"""Observers of connections: they are notified who is present at which topic.

All methods are called on the connections' event loop, in order, and must not wait.
"""

import contextlib
import logging
from collections.abc import Iterator, Sequence
from typing import Protocol

from runner.registry import Actor

log = logging.getLogger(__name__)


class Connection(Protocol):
    """One open connection; equal only to itself."""

    @property
    def actor(self) -> Actor:
        """The user, or AnonymousUser."""

    def post(self, topic: str, kind: str, frame: str) -> None:
        """Send this frame when the socket accepts it, if the topic is still followed then.

        It replaces an unsent frame of the same topic and kind, so it should contain a state, not a
        change.
        """


class ConnectionObserver(Protocol):
    """Gets the events of connections."""

    def on_join(self, connection: Connection, topic: str, /) -> None:
        """The connection follows the topic and wants to be present; called once."""

    def on_leave(self, connection: Connection, topic: str, /) -> None:
        """The connection no longer follows the topic; called for each topic before `on_close`."""

    def on_heartbeat(self, connection: Connection, topics: Sequence[str], /) -> None:
        """The connection is alive and follows these topics; called with each heartbeat."""

    def on_close(self, connection: Connection, /) -> None:
        """The connection is closed or lost; called once for each that has ever joined."""


observers: list[ConnectionObserver] = []


def register_observer(observer: ConnectionObserver) -> None:
    """Notify this observer of all connections of this process."""
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
    """Log errors, so that an observer can't break a connection."""
    try:
        yield
    except Exception:
        log.exception("an observer failed")
