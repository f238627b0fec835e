"""The cells of checks, each a program, that the call server runs beside calls."""

import asyncio
import contextlib
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping

from runner.calls.program_frames import ProgramsRequest, Run, hashes_of
from runner.programs.program import RuntimeMismatch, build_program, source_hash
from runner.sandbox import Cancelled, Outcome, Program, SandboxBroken
from runner.telemetry.counters import count
from runner.telemetry.families import SANDBOX_FAILURES

# Runs a program; Cancelled if it had to make way for a call.
RunCell = Callable[[Program], Awaitable[Outcome | SandboxBroken | Cancelled]]
FindSources = Callable[[list[str], Mapping[str, str]], Mapping[str, str]]


class CellRunner:
    """Runs the programs of requests, up to `width` at once for each owner, in turns with others."""

    def __init__(self, run_cell: RunCell, find_sources: FindSources, *, width: int) -> None:
        self._run_cell = run_cell
        self._find_sources = find_sources
        self._width = width
        self._owners: defaultdict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(width)
        )
        self._requests: defaultdict[str, int] = defaultdict(int)

    def build(self, request: ProgramsRequest) -> list[Program]:
        """Return the programs to run. Raises SourcesMissing, and SandboxBroken."""
        forms = [json.loads(form) for _, form in request.programs]
        unsaved = {source_hash(text).hex(): text for text in request.unsaved.values()}
        stored = [sha256 for sha256 in hashes_of(forms) if sha256 not in unsaved]
        sources = {**self._find_sources(stored, request.sources), **unsaved}
        try:
            return [
                build_program(bytes.fromhex(key), form, sources)
                for (key, _), form in zip(request.programs, forms, strict=True)
            ]
        except RuntimeMismatch as mismatch:
            raise SandboxBroken(str(mismatch)) from mismatch

    async def run(self, owner: str, programs: list[Program], *, seconds: float) -> list[Run]:
        """Run these programs, in this order; None for those that `seconds` don't suffice for."""
        runs: list[Run] = [None] * len(programs)
        following = iter(range(len(programs)))
        with self._turns_of(owner) as turns:

            async def run_one_after_another() -> None:
                for number in following:
                    async with turns:
                        runs[number] = await self._run_to_its_end(programs[number])

            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                    for _ in range(min(self._width, len(programs))):
                        group.create_task(run_one_after_another())
        return runs

    async def _run_to_its_end(self, program: Program) -> Outcome | SandboxBroken:
        while isinstance(ended := await self._run_cell(program), Cancelled):
            pass  # it has had no effects, so it is run again
        if isinstance(ended, SandboxBroken):
            count(SANDBOX_FAILURES, "call")
        return ended

    @contextlib.contextmanager
    def _turns_of(self, owner: str) -> Iterator[asyncio.Semaphore]:
        self._requests[owner] += 1
        try:
            yield self._owners[owner]
        finally:
            self._requests[owner] -= 1
            if not self._requests[owner]:
                del self._requests[owner], self._owners[owner]
