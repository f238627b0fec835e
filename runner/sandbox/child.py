"""The process of one run: shuts everything behind itself, gets its program, runs it, and ends."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn

from runner.sandbox import kernel, limits
from runner.sandbox.execution import Execution
from runner.sandbox.filters_generated import FILTERS
from runner.sandbox.guards import user_types
from runner.sandbox.judging import OUT_OF_MEMORY, result_of
from runner.sandbox.output import Output, writer
from runner.sandbox.protocol import PAYLOAD_HEADER

PIPE = 3
EXIT_UNCONFINED = 71
EXIT_NO_PROGRAM = 72
EXIT_BROKEN = 73

_RESERVE_BYTES = 1 << 20

_WARMING = {
    "modules": [
        [
            "Warming",
            "def Warming(x: int) -> list[str]:\n    return [f'{n}' for n in range(x)]\n",
            [],
        ],
        ["test", "assert Warming(2) == ['0', '1'], 'never seen'\n", ["Warming"]],
    ],
    "entry": "test",
    "subject": "Warming",
    "seed": "",
    "arguments": {},
}

RunProgram = Callable[[dict[str, Any], Output], dict[str, Any]]


class _Silence(Output):
    def _send(self, frames: bytes | bytearray) -> None:
        """Warming is nobody's run."""


class Template:
    """All that a child needs, made once in the zygote and inherited by forking."""

    def __init__(self, machine: str, offered_import: Callable[..., Any]) -> None:
        filters = FILTERS[machine]
        self.filter = kernel.SeccompFilter(bytes.fromhex(filters["child"]))
        self.seal = kernel.SeccompFilter(bytes.fromhex(filters["seal"]))
        self.offered_import = offered_import
        self.base_bytes = 0

    def run_program(self, program: dict[str, Any], output: Output) -> dict[str, Any]:
        return Execution(program, output, self.offered_import).run()

    def warm(self) -> None:
        """Run what is always the same, so that the pages it touches are this process's own."""
        before = set(sys.modules)
        result = self.run_program(_WARMING, _Silence(PIPE))
        if result["verdict"] != "passed":
            raise RuntimeError(f"warming failed: {result['message']}")
        for name in set(sys.modules) - before:
            del sys.modules[name]
        user_types.clear()


def confine(template: Template, descriptor: int, zygote: int) -> int:
    """Everything that needs no program yet; afterwards only the pipe and memory are left.

    Gives the resident memory, in bytes, which can't be asked for any more then.
    """
    kernel.die_with_parent(zygote)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if descriptor != PIPE:
        os.dup2(descriptor, PIPE)
    for standard in (0, 1, 2):
        os.close(standard)
    os.closerange(PIPE + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    limits.limit_always()
    template.warm()
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    template.filter.load()
    return resident


def live(template: Template, descriptor: int, zygote: int, run: RunProgram) -> NoReturn:
    """The whole life of a child; never returns into the zygote's code."""
    try:
        resident = confine(template, descriptor, zygote)
    except BaseException:
        os._exit(EXIT_UNCONFINED)
    try:
        program = json.loads(_receive())
        wanted = program["limits"]
        cpu_us = time.process_time_ns() // 1000
        limits.limit_program(
            cpu_ms=wanted["cpu_ms"],
            memory_bytes=wanted["memory_bytes"],
            base_bytes=template.base_bytes,
        )
        template.seal.load()
    except BaseException:
        os._exit(EXIT_NO_PROGRAM)
    _run(program, cpu_us, resident, run)


def _receive() -> bytes:
    (length,) = PAYLOAD_HEADER.unpack(_read_exactly(PAYLOAD_HEADER.size))
    return _read_exactly(length)


def _read_exactly(length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        piece = os.read(PIPE, min(length - len(received), 1 << 20))
        if not piece:
            raise EOFError
        received += piece
    return bytes(received)


def _run(program: dict[str, Any], cpu_us: int, resident: int, run: RunProgram) -> NoReturn:
    leave = os._exit
    code = EXIT_BROKEN
    try:
        token = bytes.fromhex(program.pop("token"))
        output = Output(PIPE)
        sys.stdout = sys.stderr = writer(output.write)
        reserve = [bytes(_RESERVE_BYTES)]
        output.started(cpu_us, resident)
        try:
            result = run(program, output)
        except MemoryError:
            reserve.clear()
            result = result_of("memory_limit", OUT_OF_MEMORY)
        reserve.clear()
        output.result(result, token)
        code = 0
    finally:
        # Whatever else happens, nothing goes back into the zygote's code.
        leave(code)
