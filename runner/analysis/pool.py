"""Analyses of source text: pure functions, each call of them in a confined process of its own.

A source that Python's parser takes forever for, or crashes on, takes such a process down and
nothing else.
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
from runner.sandbox.supervisor.protocol import PAYLOAD_HEADER, USAGE, Kind

# What takes longer than most analyses do is in no hurry any more, and lets others pass.
QUICK_SECONDS = 0.05
_PATIENT = 10
_LOOK_SECONDS = 0.1
# From the end of a pipe until the news of how its process ended.
_END_SECONDS = 5.0
_POLL_SECONDS = 0.005
_PIECE_BYTES = 1 << 18
_LONGEST_TRACE_BYTES = 65_536


class Ended(StrEnum):
    """How an analysis ended."""

    ANSWERED = "answered"
    TOO_DEEP = "too_deep"
    FAILED = "failed"  # the function itself has a bug
    CPU_LIMIT = "cpu_limit"
    WALL_LIMIT = "wall_limit"  # it had to wait for a processor: this says nothing of the source
    MEMORY_LIMIT = "memory_limit"
    TOO_LARGE = "too_large"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class Analysis:
    """A function by the name that the pool's `Analyst` has for it, its argument as JSON, limits."""

    name: str
    payload: str
    cpu_ms: int = 1_000
    wall_ms: int = 5_000
    memory_bytes: int = 256 * 1024 * 1024
    answer_bytes: int = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of an analysis: the answer as JSON, or what is known of its failure."""

    ended: Ended
    text: str = ""


class AnalysisPool:
    """Runs analyses, as many at once as are asked for; belongs to one event loop.

    `run` names the `Analyst` that its zygote starts with ("package.module:name"). Raises
    SandboxUnavailable where nothing can be confined.
    """

    def __init__(self, run: str, *, ahead: int = 4) -> None:
        self._prefork = Prefork(ahead, run)
        # Who waits for a fork, or for another zygote, does so in a thread; the rest waits then.
        self._taking = asyncio.Lock()
        self._running: set[int] = set()
        self._released: list[Process] = []
        self._statuses: dict[int, int | None] = {}

    @property
    def zygote_pid(self) -> int | None:
        """The process whose end ends the zygote and all of its children."""
        return self._prefork.zygote_pid

    async def run(
        self, analysis: Analysis, when_slow: Callable[[], None] = lambda: None
    ) -> Finding:
        """Run it, and once more where its process was killed from outside.

        To cancel this is to kill it. `when_slow` is called once it takes longer than most. Raises
        SandboxBroken and SandboxUnavailable when our own machinery fails.
        """
        try:
            return await self._run_once(analysis, when_slow)
        except SandboxBroken:
            return await self._run_once(analysis, when_slow)

    def close(self) -> None:
        """End the zygote and every child."""
        self._prefork.drop()

    async def _run_once(self, analysis: Analysis, when_slow: Callable[[], None]) -> Finding:
        process = await self._take()
        try:
            found = await _Attempt(process, analysis, when_slow).run()
            return found or _judge(await self._status(process.number))
        finally:
            self._release(process)

    async def _take(self) -> Process:
        taking = asyncio.create_task(self._take_in_turn())
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            # It goes on to its end, as its thread does, and nobody wants what it takes.
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
            return  # whoever is taking ends with this, too
        while self._released:
            process = self._released.pop()
            self._prefork.forget(process)
            self._statuses.pop(process.number, None)
        # Not as in idleness: to warm one takes longer than most analyses do.
        self._prefork.replenish(is_idle=False)

    async def _status(self, number: int) -> int | None:
        """How a child ended that has closed its pipe; None where nobody knows."""
        deadline = time.monotonic() + _END_SECONDS
        while number not in self._statuses and time.monotonic() < deadline:
            async with self._taking:
                told = self._prefork.endings()
            self._statuses.update((each.number, each.status) for each in told)
            if number not in self._statuses:
                await asyncio.sleep(_POLL_SECONDS)
        return self._statuses.pop(number, None)


_MEANINGS = {
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
        """What it says, or what it is killed for; None where it ended without a word."""
        conversing = asyncio.create_task(self._converse())
        try:
            while True:
                await asyncio.wait([conversing], timeout=self._patience())
                if conversing.done():
                    return conversing.result()
                if excess := self._look():
                    return excess
        finally:
            conversing.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await conversing

    def _patience(self) -> float:
        return _LOOK_SECONDS if self._is_slow else QUICK_SECONDS

    def _look(self) -> Finding | None:
        """Find a limit that is exceeded; whoever takes long is to let others pass."""
        if not self._is_slow:
            self._is_slow = True
            self._when_slow()
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self._process.pid or -1, _PATIENT)
        used = self._process.cpu_us()
        if used is not None and used - self._base_us >= self._analysis.cpu_ms * 1000:
            return Finding(Ended.CPU_LIMIT)
        if time.monotonic() - self._began >= self._analysis.wall_ms / 1000:
            return Finding(Ended.WALL_LIMIT)
        return None

    async def _converse(self) -> Finding | None:
        pipe, loop = self._process.pipe, asyncio.get_running_loop()
        pipe.setblocking(False)
        limits = {"cpu_ms": self._analysis.cpu_ms, "memory_bytes": self._analysis.memory_bytes}
        content = {"name": self._analysis.name, "payload": self._analysis.payload, "limits": limits}
        body = marshal.dumps({**content, "role": "analysis"})
        received = bytearray()
        try:
            await loop.sock_sendall(pipe, PAYLOAD_HEADER.pack(len(body)) + body)
            while (found := self._read(received)) is None:
                piece = await loop.sock_recv(pipe, _PIECE_BYTES)
                if not piece:
                    return None
                received += piece
        except ConnectionError:
            return None
        return found

    def _read(self, received: bytearray) -> Finding | None:
        """What has been said, if that is all of it; it is believed no more than it must be."""
        while len(received) >= HEADER.size:
            kind, length = HEADER.unpack_from(received)
            end = HEADER.size + length
            if length > self._longest(kind):
                return Finding(Ended.TOO_LARGE if kind == Said.ANSWERED else Ended.CRASHED)
            if len(received) < end:
                return None
            body = bytes(received[HEADER.size : end])
            del received[:end]
            if kind != Kind.READY or length != USAGE.size:
                return Finding(_MEANINGS.get(kind, Ended.CRASHED), body.decode("utf-8", "replace"))
            self._base_us = USAGE.unpack(body)[0]
        return None

    def _longest(self, kind: int) -> int:
        return self._analysis.answer_bytes if kind == Said.ANSWERED else _LONGEST_TRACE_BYTES


def _judge(status: int | None) -> Finding:
    """What it means that a process ended without an answer; raises SandboxBroken if nothing."""
    if status is not None and os.WIFSIGNALED(status):
        match os.WTERMSIG(status):
            case signal.SIGKILL:
                pass  # not by us: somebody did it, or memory ran out for everyone
            case signal.SIGXCPU:
                return Finding(Ended.CPU_LIMIT)
            case _:
                return Finding(Ended.CRASHED, described(status))
    raise SandboxBroken(f"an analysis ended without an answer ({described(status)})")
