"""Callers in a thread of this process, over a real sandbox, and functions to be called."""

import asyncio
import contextlib
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from pytest_django import Settings

from functions.models import Function, Implementation
from runner.calls.addresses import Address, TcpAddress
from runner.calls.server import CallServer, ServerLimits
from runner.programs.program import source_hash
from runner.sandbox import Pool
from tests.patience import await_that
from tests.support import builders as make


class Served(NamedTuple):
    """Callers that serve, and the socket they are reached at."""

    callers: CallServer
    path: Address
    loop: asyncio.AbstractEventLoop

    def taken(self, owner: str) -> int:
        """Return how many places somebody has."""
        return self.callers._places.taken(owner)

    def is_busy(self) -> bool:
        """Tell whether every sandbox runs something."""
        return self.callers._free_pools.empty()

    @contextlib.contextmanager
    def kept_busy(self) -> Iterator[None]:
        """Let no call have its turn meanwhile."""
        pool = self.callers._free_pools.get_nowait()
        try:
            yield
        finally:
            self.loop.call_soon_threadsafe(self.callers._free_pools.put_nowait, pool)


@contextlib.contextmanager
def serving(
    *pools: Pool, room: ServerLimits | None = None, keep: bool = False, at: Address | None = None
) -> Iterator[Served]:
    """Serve calls, and perhaps keep the pools; the socket's name must be short."""
    with tempfile.TemporaryDirectory(prefix="calls-") as folder:
        path = at or Path(folder) / "callers"
        callers, loop, stop = CallServer(pools, room), asyncio.new_event_loop(), asyncio.Event()
        thread = threading.Thread(
            target=loop.run_until_complete, args=[callers.serve(path, stop)], name="callers"
        )
        thread.start()
        try:
            await_that(lambda: _is_served(path), what="calls are served")
            yield Served(callers, path, loop)
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join()
            if not keep:
                callers.close()
            loop.close()


def _is_served(address: Address) -> bool:
    if not isinstance(address, TcpAddress):
        return address.exists()
    with socket.socket() as probe:
        return probe.connect_ex(address) == 0


@pytest.fixture(scope="session")
def callers_socket() -> Iterator[Address]:
    """Start the callers once for all tests of this process."""
    with serving(Pool(1)) as served:
        yield served.path


@pytest.fixture
def callers(callers_socket: Address, settings: Settings) -> Address:
    """Have calls be served."""
    settings.CALLERS_SOCKET = str(callers_socket)
    return callers_socket


def implemented(name: str, code: str, *, uses: tuple[Function, ...] = ()) -> Function:
    """Return a function with a current implementation."""
    function = make.function(name)
    elected(function, code, uses=uses)
    return function


def elected(function: Function, code: str, *, uses: tuple[Function, ...] = ()) -> Implementation:
    """Make code a function's current implementation."""
    work = make.implementation(function, code=code, source_sha256=source_hash(code))
    for used in uses:
        make.dependency(work, used.name, used)
    make.elect(work)
    function.refresh_from_db(fields=["elected", "status"])
    return work


def withdraw(work: Implementation) -> None:
    """Have the author withdraw it, as far as a lock is concerned."""
    Implementation.objects.filter(pk=work.pk).update(state="withdrawn")
