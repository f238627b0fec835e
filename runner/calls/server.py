"""The call server: runs calls and cells of checks in warm pools, behind a short queue."""

import asyncio
import logging
import math
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from runner.calls.addresses import Address
from runner.calls.cells import CellRunner
from runner.calls.connections import serve_frames
from runner.calls.frames import (
    Busy,
    CallRequest,
    RateLimited,
    SourcesMissing,
    decode_request,
    encode_answer,
)
from runner.calls.places import Places
from runner.calls.pool_queue import CELLS, PoolQueue
from runner.calls.program_frames import ProgramsRequest, Run, decode_programs, encode_runs
from runner.programs.program import source_hash
from runner.programs.text_cache import TextCache
from runner.sandbox import (
    Cancelled,
    Limits,
    Module,
    Outcome,
    Pool,
    Program,
    Refused,
    SandboxBroken,
    SandboxUnavailable,
)
from runner.telemetry.counters import count
from runner.telemetry.families import SANDBOX_FAILURES

log = logging.getLogger(__name__)

# Short, because the client keeps a connection open while it waits.
CALL_LIMITS = Limits(wall_ms=5_000)
SEED_BYTES = 16
MAX_SOURCE_BYTES = 64 * 1024 * 1024
RATE_SECONDS = 60
# A pool without calls for so long rests. It takes more time than a call, so not in between.
IDLE_SECONDS = 0.1
# A cell of a check makes way for a call that waits, but not before it has had its pool for so long.
CELL_SECONDS = 0.1
clock = time.monotonic

T = TypeVar("T")
RunResult = Outcome | SandboxBroken | Cancelled


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits of requests waiting or running at once, in total and per owner, and of waiting."""

    capacity: int = 34
    per_owner: int = 8
    per_minute: int | None = None  # of one owner
    wait_seconds: float = 5.0
    # Requests for many programs.
    programs_capacity: int = 16
    programs_per_owner: int = 4
    stop_seconds: float = 7.0


class SourceCache:
    """Caches source texts, so that clients rarely need to send them."""

    def __init__(self, max_bytes: int = MAX_SOURCE_BYTES) -> None:
        self._texts = TextCache(max_bytes)

    def find(self, hashes: Sequence[str], sent: Mapping[str, str]) -> dict[str, str]:
        """Return the texts of these hashes, from `sent` or the cache; raises SourcesMissing."""
        known = {source_hash(text).hex(): text for text in sent.values()}
        known |= self._texts.find(hashes)
        self._texts.keep({sha256: known[sha256] for sha256 in hashes if sha256 in known})
        if missing := [sha256 for sha256 in hashes if sha256 not in known]:
            raise SourcesMissing(missing)
        return known


class RateLimit:
    """At most `per_minute` calls per owner and minute; one instance counts a machine's calls."""

    def __init__(self, per_minute: int | None) -> None:
        self._per_minute = per_minute
        self._minute = 0.0
        self._counts: Counter[str] = Counter()

    def count(self, owner: str) -> None:
        """Count a call; raises RateLimited above the limit."""
        minute, passed = divmod(clock(), RATE_SECONDS)
        if minute != self._minute:
            self._minute = minute
            self._counts.clear()
        self._counts[owner] += 1
        if self._per_minute is not None and self._counts[owner] > self._per_minute:
            raise RateLimited(math.ceil(RATE_SECONDS - passed))


class CallServer:
    """Runs calls for clients. Closes the given pools."""

    def __init__(self, pools: Sequence[Pool], limits: ServerLimits | None = None) -> None:
        self._pools = pools
        self._limits = limits or ServerLimits()
        self._sources = SourceCache()
        self._places = Places(self._limits.capacity, self._limits.per_owner)
        self._places_for_programs = Places(
            self._limits.programs_capacity, self._limits.programs_per_owner
        )
        self._quota = RateLimit(self._limits.per_minute)
        self._free_pools = PoolQueue()
        self._cells = CellRunner(self._run_cell, self._sources.find, width=len(pools))
        # The running cells: their pools, and since when.
        self._running_cells: dict[Hashable, tuple[Pool, float]] = {}
        self._rests: dict[Pool, asyncio.TimerHandle] = {}  # of free pools
        # The threads live as long as the server, because a zygote ends with the thread that
        # started it.
        self._threads = ThreadPoolExecutor(len(pools), "caller")

    async def serve(self, address: Address, stop: asyncio.Event) -> None:
        """Serve until `stop` is set; then let running calls finish."""
        for pool in self._pools:
            self._free_pools.put_nowait(pool)
        await serve_frames(address, self._handle, stop, stop_seconds=self._limits.stop_seconds)

    def close(self) -> None:
        """End all threads and zygotes; call it when no call is running any more."""
        self._threads.shutdown()
        for pool in self._pools:
            pool.close()

    async def _handle(self, content: dict[str, Any]) -> Mapping[str, Any]:
        if "programs" in content:
            answer = await self._answer(self._run_programs(decode_programs(content)))
            return encode_answer(answer) if isinstance(answer, Exception) else encode_runs(answer)
        return encode_answer(await self.answer(decode_request(content)))

    async def answer(self, request: CallRequest) -> Outcome | Exception:
        """Return the call's outcome or error; cancelled when its client disconnects."""
        return await self._answer(self._call(request))

    async def _answer(self, act: Awaitable[T]) -> T | Exception:
        try:
            return await act
        except (Busy, RateLimited, Refused, SandboxBroken, SourcesMissing) as reason:
            if isinstance(reason, SandboxBroken):
                count(SANDBOX_FAILURES, "call")
            return reason
        except Exception as error:
            log.exception("a call failed")
            return error

    async def _call(self, request: CallRequest) -> Outcome:
        program = self._build(request)
        self._quota.count(request.owner)
        with self._places.one(request.owner):
            return await self._run(program)

    async def _run_programs(self, request: ProgramsRequest) -> list[Run]:
        programs = self._cells.build(request)
        self._quota.count(request.owner)
        with self._places_for_programs.one(request.owner):
            return await self._cells.run(request.owner, programs, seconds=request.seconds)

    def _build(self, request: CallRequest) -> Program:
        texts = self._sources.find([sha256 for _, sha256, _ in request.modules], request.sources)
        return Program(
            tuple(Module(name, texts[sha256], binds) for name, sha256, binds in request.modules),
            entry="call",
            subject=request.subject,
            limits=CALL_LIMITS,
            seed=os.urandom(SEED_BYTES),
            arguments=request.arguments,
        )

    async def _run(self, program: Program) -> Outcome:
        try:
            async with asyncio.timeout(self._limits.wait_seconds):
                pool = await self._pool_for_call()
        except TimeoutError:
            raise Busy(own=False) from None
        result = await self._run_in(pool, program, object())
        if isinstance(result, Outcome):
            return result
        raise result if isinstance(result, SandboxBroken) else SandboxBroken("cancelled")

    async def _pool_for_call(self) -> Pool:
        """Wait for a pool. Cells that have theirs for longer make way, again and again."""
        if not self._free_pools.empty():
            return self._free_pools.get_nowait()
        getting = asyncio.ensure_future(self._free_pools.get())
        try:
            while not (await asyncio.wait([getting], timeout=CELL_SECONDS))[0]:
                self._make_way()
        except asyncio.CancelledError:
            if not getting.cancel():
                self._free_pools.put_nowait(getting.result())  # it came too late
            raise
        return getting.result()

    def _make_way(self) -> None:
        """Stop the longest running cell, if it has had its time; it will be run again."""
        for ident, (pool, began) in self._running_cells.items():
            if clock() - began >= CELL_SECONDS:
                del self._running_cells[ident]
                pool.cancel(ident)
                return

    async def _run_cell(self, program: Program) -> RunResult:
        ident, pool = object(), await self._free_pools.get(CELLS)
        self._running_cells[ident] = (pool, clock())
        try:
            return await self._run_in(pool, program, ident)
        finally:
            self._running_cells.pop(ident, None)

    async def _run_in(self, pool: Pool, program: Program, ident: Hashable) -> RunResult:
        if rest := self._rests.pop(pool, None):
            rest.cancel()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[RunResult] = loop.create_future()

        def report(result: RunResult) -> None:
            loop.call_soon_threadsafe(_set_result, future, result)

        running = loop.run_in_executor(self._threads, _run_program, pool, ident, program, report)
        # The pool becomes free after its clean-up, for which the client does not wait.
        running.add_done_callback(lambda _: self._free(pool))
        try:
            return await future
        except asyncio.CancelledError:
            pool.cancel(ident)
            raise

    def _free(self, pool: Pool) -> None:
        self._rests[pool] = asyncio.get_running_loop().call_later(IDLE_SECONDS, pool.rest)
        self._free_pools.put_nowait(pool)


def _run_program(
    pool: Pool, ident: Hashable, program: Program, report: Callable[[RunResult], None]
) -> None:
    try:
        for is_last in (False, True):
            for _, result in pool.map([(ident, program)], rests=False):
                # A program that broke the sandbox is run once more; it has had no effects.
                is_over = is_last or not isinstance(result, SandboxBroken)
                if is_over:
                    report(result)
            if is_over:
                return
    except (SandboxBroken, SandboxUnavailable, OSError) as error:
        log.exception("a call could not be run")
        report(SandboxBroken(str(error)))


def _set_result(future: "asyncio.Future[RunResult]", result: RunResult) -> None:
    if not future.done():
        future.set_result(result)
