"""Runs analyses of source text, each in a confined process of its own.

A source that crashes Python's parser, or keeps it busy forever, takes down only that process.
"""

from __future__ import annotations

import asyncio
import contextlib
import marshal
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from runner.analysis.analyst import HEADER, Said
from runner.sandbox.programs import SandboxBroken
from runner.sandbox.supervisor.prefork import Prefork
from runner.sandbox.supervisor.process import Process, described
from runner.sandbox.supervisor.protocol import MARSHAL_VERSION, PAYLOAD_HEADER, USAGE, Kind

# Analyses that take longer are slow: they get a lower CPU priority and may be preempted.
QUICK_SECONDS = 0.05
_SLOW_NICENESS = 10
_CHECK_SECONDS = 0.1  # the interval of checks of the limits
# The longest time from the end of a process's pipe until its exit status is known.
_END_SECONDS = 5.0
_POLL_SECONDS = 0.005
_CHUNK_BYTES = 1 << 18
_MAX_TRACE_BYTES = 65_536


class Ended(StrEnum):
    """How an analysis ended."""

    ANSWERED = "answered"
    TOO_DEEP = "too_deep"
    FAILED = "failed"  # the function raised an exception, which is a bug
    CPU_LIMIT = "cpu_limit"
    WALL_LIMIT = "wall_limit"  # it had to wait for a CPU, which is not the source's fault
    MEMORY_LIMIT = "memory_limit"
    TOO_LARGE = "too_large"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class Analysis:
    """A call of one of the `Analyst`'s functions, with its limits; `payload` is JSON."""

    name: str
    payload: str
    cpu_ms: int = 1_000
    wall_ms: int = 5_000
    memory_bytes: int = 256 * 1024 * 1024
    answer_bytes: int = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Finding:
    """The end of an analysis; `text` is the result as JSON, or details of the failure."""

    ended: Ended
    text: str = ""


class AnalysisPool:
    """Runs any number of analyses at once; belongs to one event loop.

    `run` names the `Analyst` that the zygote starts with ("package.module:name"). Raises
    SandboxUnavailable if processes can't be confined.
    """

    def __init__(self, run: str, *, ahead: int = 4) -> None:
        self._prefork = Prefork(ahead, run)
        # Held while a process is taken, which may block in a thread; other uses are postponed.
        self._taking = asyncio.Lock()
        self._running: set[int] = set()
        self._released: list[Process] = []
        self._statuses: dict[int, int | None] = {}

    @property
    def zygote_pid(self) -> int | None:
        """The id of the process whose end ends the zygote and all its children."""
        return self._prefork.zygote_pid

    async def run(
        self, analysis: Analysis, when_slow: Callable[[], None] = lambda: None
    ) -> Finding:
        """Run the analysis, and once more if its process was killed from outside.

        Cancelling kills the process. `when_slow` is called after QUICK_SECONDS. Raises
        SandboxBroken and SandboxUnavailable if the machinery fails.
        """
        try:
            return await self._run_once(analysis, when_slow)
        except SandboxBroken:
            return await self._run_once(analysis, when_slow)

    def close(self) -> None:
        """End the zygote and all its children."""
        self._prefork.drop()

    async def _run_once(self, analysis: Analysis, when_slow: Callable[[], None]) -> Finding:
        process = await self._take()
        try:
            finding = await _Attempt(process, analysis, when_slow).run()
            return finding or _finding_from_status(await self._status(process.number))
        finally:
            self._release(process)

    async def _take(self) -> Process:
        taking = asyncio.create_task(self._take_in_turn())
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            # Its thread can't be cancelled; the process that it takes is released then.
            taking.add_done_callback(self._put_back)
            raise

    async def _take_in_turn(self) -> Process:
        async with self._taking:
            self._prefork.catch_up()
            if self._prefork.has_ready:
                (process,) = self._prefork.take(1)
            else:
                (process,) = await asyncio.to_thread(self._prefork.take, 1)
            self._running.add(process.number)
        return process

    def _put_back(self, taking: asyncio.Task[Process]) -> None:
        if not taking.cancelled() and taking.exception() is None:
            self._release(taking.result())

    def _release(self, process: Process) -> None:
        process.kill()
        self._running.discard(process.number)
        self._released.append(process)
        self._tidy()

    def _tidy(self) -> None:
        if self._taking.locked():
            return  # the next release does it
        while self._released:
            process = self._released.pop()
            self._prefork.forget(process)
            self._statuses.pop(process.number, None)
        # Not idle: warming a process takes longer than most analyses.
        self._prefork.replenish(is_idle=False)

    async def _status(self, number: int) -> int | None:
        """Return the wait status of a child that has closed its pipe; None if unknown."""
        deadline = time.monotonic() + _END_SECONDS
        while number not in self._statuses and time.monotonic() < deadline:
            async with self._taking:
                endings = self._prefork.endings()
            self._statuses.update((each.number, each.status) for each in endings)
            if number not in self._statuses:
                await asyncio.sleep(_POLL_SECONDS)
        return self._statuses.pop(number, None)


_ENDED_BY_KIND = {
    int(Said.ANSWERED): Ended.ANSWERED,
    int(Said.TOO_DEEP): Ended.TOO_DEEP,
    int(Said.FAILED): Ended.FAILED,
    int(Kind.EXHAUSTED): Ended.MEMORY_LIMIT,
}


class _Attempt:
    """One analysis in one process."""

    def __init__(self, process: Process, analysis: Analysis, when_slow: Callable[[], None]) -> None:
        self._process = process
        self._analysis = analysis
        self._when_slow = when_slow
        self._began = time.monotonic()
        self._base_us = 0
        self._is_slow = False

    async def run(self) -> Finding | None:
        """Return the finding; None if the process ended without sending one."""
        exchange = asyncio.create_task(self._exchange())
        try:
            while True:
                timeout = _CHECK_SECONDS if self._is_slow else QUICK_SECONDS
                await asyncio.wait([exchange], timeout=timeout)
                if exchange.done():
                    return exchange.result()
                if excess := self._check_limits():
                    return excess
        finally:
            exchange.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await exchange

    def _check_limits(self) -> Finding | None:
        """Return the finding if a limit is exceeded; the first call marks the analysis as slow."""
        if not self._is_slow:
            self._is_slow = True
            self._when_slow()
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self._process.pid or -1, _SLOW_NICENESS)
        used = self._process.cpu_us()
        if used is not None and used - self._base_us >= self._analysis.cpu_ms * 1000:
            return Finding(Ended.CPU_LIMIT)
        if time.monotonic() - self._began >= self._analysis.wall_ms / 1000:
            return Finding(Ended.WALL_LIMIT)
        return None

    async def _exchange(self) -> Finding | None:
        """Send the analysis and read its finding; None if the pipe is closed before."""
        pipe, loop = self._process.pipe, asyncio.get_running_loop()
        pipe.setblocking(False)
        limits = {"cpu_ms": self._analysis.cpu_ms, "memory_bytes": self._analysis.memory_bytes}
        content = {"name": self._analysis.name, "payload": self._analysis.payload, "limits": limits}
        body = marshal.dumps({**content, "role": "analysis"}, MARSHAL_VERSION)
        received = bytearray()
        try:
            await loop.sock_sendall(pipe, PAYLOAD_HEADER.pack(len(body)) + body)
            while (finding := self._read(received)) is None:
                chunk = await loop.sock_recv(pipe, _CHUNK_BYTES)
                if not chunk:
                    return None
                received += chunk
        except ConnectionError:
            return None
        return finding

    def _read(self, received: bytearray) -> Finding | None:
        """Return the received finding if it is complete; the frames are not trusted."""
        while len(received) >= HEADER.size:
            kind, length = HEADER.unpack_from(received)
            end = HEADER.size + length
            if length > self._max_length(kind):
                return Finding(Ended.TOO_LARGE if kind == Said.ANSWERED else Ended.CRASHED)
            if len(received) < end:
                return None
            body = bytes(received[HEADER.size : end])
            del received[:end]
            if kind != Kind.READY or length != USAGE.size:
                ended = _ENDED_BY_KIND.get(kind, Ended.CRASHED)
                return Finding(ended, body.decode("utf-8", "replace"))
            self._base_us = USAGE.unpack(body)[0]
        return None

    def _max_length(self, kind: int) -> int:
        return self._analysis.answer_bytes if kind == Said.ANSWERED else _MAX_TRACE_BYTES


def _finding_from_status(status: int | None) -> Finding:
    """Return the finding for a process that ended without sending one.

    Raises SandboxBroken if the status doesn't tell what happened.
    """
    if status is not None and os.WIFSIGNALED(status):
        match os.WTERMSIG(status):
            case signal.SIGKILL:
                pass  # killed from outside, or by the kernel when the machine ran out of memory
            case signal.SIGXCPU:
                return Finding(Ended.CPU_LIMIT)
            case _:
                return Finding(Ended.CRASHED, described(status))
    raise SandboxBroken(f"an analysis ended without an answer ({described(status)})")
