"""Open connections: how many each address may have, and an end to those that are too slow."""

import asyncio
import ipaddress
from collections import Counter
from functools import lru_cache
from typing import Protocol
from weakref import WeakKeyDictionary

from django.conf import settings

from runner.sockets.networks import network_of

SWEEP_SECONDS = 1.0


class Watched(Protocol):
    """A connection that ends itself when it is found too slow."""

    def check_pace(self, seconds: float) -> None:
        """Look how far it has come in these seconds, the last ones."""


class Connections:
    """Those of one event loop. All are looked at together: one timer, however many there are."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watched: set[Watched] = set()
        self._open: Counter[str] = Counter()
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, address: str) -> str | None:
        """Count one more and return what to `leave` with; None where the address has too many.

        Proxies that are trusted speak for many; they count for themselves.
        """
        network = _network(address)
        if self._open[network] >= settings.CONNECTIONS_PER_ADDRESS and not _is_proxy(address):
            return None
        self._open[network] += 1
        return network

    def leave(self, network: str) -> None:
        """Give one back."""
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]

    def watch(self, connection: Watched) -> None:
        """Check its pace each second."""
        self._watched.add(connection)
        if self._timer is None:
            self._schedule()

    def unwatch(self, connection: Watched) -> None:
        """Let it be: it has ended, or others see to that."""
        self._watched.discard(connection)

    def _schedule(self) -> None:
        self._timer = self._loop.call_later(SWEEP_SECONDS, self._sweep, self._loop.time())

    def _sweep(self, since: float) -> None:
        # A loop that was busy has read nothing meanwhile, which is no client's fault.
        seconds = min(self._loop.time() - since, 2 * SWEEP_SECONDS)
        self._timer = None
        if self._watched:
            self._schedule()
        for connection in tuple(self._watched):
            connection.check_pace(seconds)


_connections: WeakKeyDictionary[asyncio.AbstractEventLoop, Connections] = WeakKeyDictionary()


def connections_of(loop: asyncio.AbstractEventLoop) -> Connections:
    """Return the connections that this loop serves."""
    found = _connections.get(loop)
    if found is None:
        found = _connections[loop] = Connections(loop)
    return found


@lru_cache(maxsize=4096)
def _network(address: str) -> str:
    return network_of(address)


@lru_cache(maxsize=4096)
def _is_proxy(address: str) -> bool:
    if not settings.BEHIND_PROXY:
        return False
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return True  # a Unix socket, which has no addresses
    return any(ip in ipaddress.ip_network(network) for network in settings.TRUSTED_PROXIES)
