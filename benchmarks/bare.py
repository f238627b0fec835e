"""Distinct tiny programs, and the bare sandbox that executes them on two cores."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from runner.programs.program import PreparedProgram, build_program, make_program
from runner.sandbox import Module, Outcome, Pool, Program, Verdict

_ADD = Module("Add", "def Add(a, b): return a + b\n")
_WARM_UP = range(-200, 0)


def tiny_programs(numbers: Sequence[int]) -> list[PreparedProgram]:
    """Return a tiny program for each number: the same implementation with different tests."""
    return [
        make_program(
            modules=[_ADD, Module("test", f"assert Add({number}, 2) == {number + 2}\n", ("Add",))],
            entry="test",
            subject="Add",
            tag="add",
        )
        for number in numbers
    ]


def built(prepared: PreparedProgram) -> Program:
    """Return the sandbox's form of a program."""
    sources = {sha256.hex(): text for sha256, text in prepared.sources.items()}
    return build_program(prepared.key, prepared.canonical, sources)


class BareSandbox:
    """As many processes as there are workers, with the same pools and nothing else."""

    def __init__(self, processes: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._ends: list[Connection] = []
        self._processes = []
        for _ in range(processes):
            ours, its = context.Pipe()
            self._ends.append(ours)
            self._processes.append(context.Process(target=_serve, args=(its,), daemon=True))
            self._processes[-1].start()
        self.seconds_for(_WARM_UP)

    def seconds_for(self, numbers: range) -> float:
        """Execute these programs in equal shares; return the time until all have ended."""
        for place, end in enumerate(self._ends):
            end.send(numbers[place :: len(self._ends)])
        for end in self._ends:
            end.recv()
        for end in self._ends:
            end.send(None)
        return max(float(end.recv()) for end in self._ends)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for end, process in zip(self._ends, self._processes, strict=True):
            end.close()
            process.join()


def _serve(end: Connection) -> None:
    with Pool(1) as pool:
        while True:
            try:
                numbers = end.recv()
            except EOFError:
                return
            programs = [(one.key, built(one)) for one in tiny_programs(numbers)]
            end.send(None)
            end.recv()
            began = time.perf_counter()
            for _, outcome in pool.map(programs):
                if not isinstance(outcome, Outcome) or outcome.verdict is not Verdict.PASSED:
                    raise RuntimeError(f"a program did not pass: {outcome}")
            end.send(time.perf_counter() - began)
