"""Limits open connections per address, and closes slow ones."""

import asyncio
import ipaddress
from collections import Counter
from functools import lru_cache
from typing import Protocol
from weakref import WeakKeyDictionary

from django.conf import settings

from runner.sockets.networks import network_of

SWEEP_SECONDS = 1.0
# Of all responses of a process that their clients have not read yet.
MOST_UNREAD_BYTES = 64 * 1024 * 1024


class Watched(Protocol):
    """A connection that closes itself if it is too slow."""

    @property
    def unread(self) -> tuple[float, int]:
        """The seconds that its client is behind with reading, and the bytes left to read."""
        ...

    def abort(self) -> None:
        """Close the connection at once."""

    def check_pace(self, seconds: float) -> None:
        """Check the progress within the last seconds."""


class Connections:
    """The connections of one event loop, all checked by one timer."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watched: set[Watched] = set()
        self._open: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, address: str) -> str | None:
        """Count a connection and return the argument for `leave`; None if there are too many.

        Trusted proxies are not limited, because they serve many clients.
        """
        network = _network(address)
        if self._open[network] >= settings.CONNECTIONS_PER_ADDRESS and not is_trusted_proxy(
            address
        ):
            return None
        self._open[network] += 1
        return network

    def leave(self, network: str) -> None:
        """Stop counting a connection."""
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]

    def watch(self, connection: Watched) -> None:
        """Check the connection's pace each second."""
        self._watched.add(connection)
        if self._timer is None:
            self._schedule()

    def unwatch(self, connection: Watched) -> None:
        """Stop checking the connection."""
        self._watched.discard(connection)

    def _schedule(self) -> None:
        self._timer = self._loop.call_later(SWEEP_SECONDS, self._sweep, self._loop.time())

    def _sweep(self, since: float) -> None:
        # Limited, because a busy loop has read nothing meanwhile, which isn't the client's fault.
        seconds = min(self._loop.time() - since, 2 * SWEEP_SECONDS)
        self._timer = None
        if self._watched:
            self._schedule()
        for connection in tuple(self._watched):
            connection.check_pace(seconds)
        self._limit_unread()

    def _limit_unread(self) -> None:
        """Abort the connections furthest behind while all responses take too much memory."""
        unread = sum(connection.unread[1] for connection in self._watched)
        if unread <= MOST_UNREAD_BYTES:
            return
        for connection in sorted(self._watched, key=lambda each: each.unread, reverse=True):
            unread -= connection.unread[1]
            connection.abort()
            if unread <= MOST_UNREAD_BYTES:
                return


_connections: WeakKeyDictionary[asyncio.AbstractEventLoop, Connections] = WeakKeyDictionary()


def connections_of(loop: asyncio.AbstractEventLoop) -> Connections:
    """Return the connections of this loop."""
    connections = _connections.get(loop)
    if connections is None:
        connections = _connections[loop] = Connections(loop)
    return connections


@lru_cache(maxsize=4096)
def _network(address: str) -> str:
    return network_of(address)


def is_trusted_proxy(address: str) -> bool:
    """Return whether this is the address of a proxy whose headers are trusted."""
    return settings.BEHIND_PROXY and _is_listed(address)


@lru_cache(maxsize=4096)
def _is_listed(address: str) -> bool:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return True  # a Unix socket, which has no addresses
    return any(ip in ipaddress.ip_network(network) for network in settings.TRUSTED_PROXIES)
