"""Callers in a thread of this process, over a real sandbox, and functions to be called."""

import asyncio
import contextlib
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from functions.models import Function, Implementation
from runner.calls.serving import Callers, Room
from runner.programs import source_hash
from runner.sandbox import Pool
from tests.functions.pages import builders as make
from tests.patience import PATIENCE_SECONDS


@contextlib.contextmanager
def serving(
    *pools: Pool, room: Room | None = None, keep: bool = False, at: Path | None = None
) -> Iterator[Path]:
    """Serve calls, and perhaps keep the pools; gives the socket, whose name must be short."""
    with tempfile.TemporaryDirectory(prefix="calls-") as folder:
        path = at or Path(folder) / "callers"
        callers, loop, stop = Callers(pools, room), asyncio.new_event_loop(), asyncio.Event()
        thread = threading.Thread(
            target=loop.run_until_complete, args=[callers.serve(path, stop)], name="callers"
        )
        thread.start()
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while not path.exists() and time.monotonic() < deadline:
                time.sleep(0.005)
            yield path
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join()
            if not keep:
                callers.close()
            loop.close()


@pytest.fixture(scope="session")
def callers_socket() -> Iterator[Path]:
    """Start the callers once for all tests of this process."""
    with serving(Pool(1)) as path:
        yield path


@pytest.fixture
def callers(callers_socket: Path, settings: Settings) -> Path:
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
