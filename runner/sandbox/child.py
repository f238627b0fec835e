"""The process of one run: shuts everything behind itself, gets its program, runs it, and ends."""

from __future__ import annotations

import marshal
import os
import resource
import select
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from runner.sandbox import warming
from runner.sandbox.evaluating import Homes
from runner.sandbox.execution import Execution, check, seed_random
from runner.sandbox.guards import offered_builtins, user_types
from runner.sandbox.jail import kernel, limits
from runner.sandbox.jail.filters_generated import FILTERS
from runner.sandbox.judging import out_of_memory, result_of
from runner.sandbox.messages import EXIT_BROKEN, EXIT_NO_PROGRAM, EXIT_UNCONFINED
from runner.sandbox.output import Output
from runner.sandbox.protocol import PASSED, PAYLOAD_HEADER, Content
from runner.sandbox.standins import streams

PIPE = 3

_RESERVE_BYTES = 1 << 20
# As many modules as most programs have.
_HOMES_AHEAD = 8
# Python adapts code to what it is used for, and writes that into it, over its first few times.
_REHEARSALS = 20
_MOST_DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)[0]

# Bound here, so that a child needn't look them up: that writes to memory.
_read, _copy, _close_all, _leave = os.read, os.dup2, os.closerange, os._exit

# A child that has waited so long, its pool being idle, uses the time.
_PATIENCE_MILLISECONDS = 15

Result = dict[str, Any] | None
Run = Callable[[Content, Output], Result]


class Silence(Output):
    """For runs that are nobody's, such as warming."""

    def _send(self, frames: bytes | bytearray) -> None:
        """Nobody listens."""


class Template:
    """All that a child needs, made once in the zygote and inherited by forking."""

    def __init__(self, machine: str, offered_import: Callable[..., Any]) -> None:
        self.seal, self.asking, self.parent_seal = (
            kernel.SeccompFilter(bytes.fromhex(FILTERS[machine][name]))
            for name in ("child", "asking", "parent")
        )
        # Where no namespace ends with the zygote, each child has to.
        self.dies_with_parent = False
        self.output = Output(PIPE)
        self.base_bytes = 0
        # Given back once memory has run out, so that there is some to say so.
        self.reserve = [bytes(_RESERVE_BYTES)]
        self._warming = warming.programs()
        builtins = offered_builtins()
        builtins.update(
            __import__=offered_import,
            print=streams.offered_print,
            input=streams.offered_input,
            log=self.output.print,
            check=check,
        )
        self._homes = Homes(builtins, ahead=_HOMES_AHEAD)
        self._homes_of_nobody = Homes(builtins)

    def run_program(self, content: Content, output: Output) -> Result:
        return self.prepared(content, output).run()

    def prepared(self, content: Content, output: Output) -> Execution:
        """An execution that may begin."""
        execution = Execution(content, self._homes, output)
        execution.prepare(pass_on=True)
        output.started(at_once=execution.compiles)
        return execution

    def warm(self) -> None:
        """Run what is always the same, so that the pages it touches are this process's own."""
        silence = Silence(PIPE)
        with _leaving_nothing():
            for content in self._warming:
                execution = Execution(content, self._homes_of_nobody, silence)
                execution.prepare(pass_on=False)
                silence.started()
                result = execution.run()
                silence.result(result, b"")
                if result is not None:
                    raise RuntimeError(f"warming failed: {result['message']}")
            limits.rehearse()

    def rehearse(self) -> None:
        """In the zygote, do what each child does until Python has adapted its code to that."""
        homes = self._homes
        ours, theirs = socket.socketpair()
        payload = marshal.dumps(warming.rehearsal())
        with ours, theirs, _leaving_nothing():
            self._homes = self._homes_of_nobody
            output = Output(theirs.fileno())
            for _ in range(_REHEARSALS):
                output.ready()
                ours.sendall(PAYLOAD_HEADER.pack(len(payload)) + payload)
                if content := receive(theirs.fileno()):
                    output.result(self.run_program(content, output), content[0])
                if not ours.recv(1 << 16).endswith(PASSED):
                    raise RuntimeError("the rehearsal failed")
        self._homes = homes


@contextmanager
def _leaving_nothing() -> Iterator[None]:
    """Afterwards, no program seems to have been run."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]
    user_types.clear()
    seed_random(b"")


def keep_only(descriptor: int) -> None:
    """Make this one the pipe, and close all others."""
    if descriptor != PIPE:
        _copy(descriptor, PIPE)
    _close_all(0, PIPE)
    _close_all(PIPE + 1, _MOST_DESCRIPTORS)


def confine(template: Template, descriptor: int, parent: int) -> None:
    """Everything that needs no program yet; afterwards only the pipe and memory are left."""
    if template.dies_with_parent:
        kernel.die_with_parent(parent)
    keep_only(descriptor)
    limits.limit_child()
    template.seal.load()


def live(template: Template, descriptor: int, zygote: int, run: Run, *, is_idle: bool) -> NoReturn:
    """The whole life of a child; never returns into the zygote's code."""
    leave = _leave
    try:
        confine(template, descriptor, zygote)
        template.output.ready()
        if is_idle:
            warm_unless_wanted(template)
    except BaseException:
        leave(EXIT_UNCONFINED)
    run_one(template, run)


def run_one(template: Template, run: Run, *, is_limited: bool = False) -> NoReturn:
    """Get a program, run it, tell its result, and end; its limits may hold already."""
    leave = _leave
    try:
        content = _receive_or_warm(template)
        if not is_limited:
            limits.limit_program(content[4], template.base_bytes)
    except BaseException:
        leave(EXIT_NO_PROGRAM)
    code = EXIT_BROKEN
    try:
        try:
            result = run(content, template.output)
        except MemoryError:
            template.reserve.clear()
            result = result_of("memory_limit", out_of_memory(content[4]["memory_bytes"]))
        template.reserve.clear()
        template.output.result(result, content[0])
        code = 0
    finally:
        # Whatever else happens, nothing goes back into the zygote's code.
        leave(code)


def _receive_or_warm(template: Template) -> Content:
    """The program; an empty one says that there is time to warm, unless another comes soon."""
    while True:
        if content := receive():
            return content
        warm_unless_wanted(template)


def warm_unless_wanted(template: Template) -> None:
    """Use the time until a program comes, if that isn't at once."""
    waiting = select.poll()
    waiting.register(PIPE, select.POLLIN)
    if not waiting.poll(_PATIENCE_MILLISECONDS):
        template.warm()
        template.output.ready()


def receive(pipe: int = PIPE) -> Content | None:
    """The program, which our own side has written; None for an empty one."""
    (length,) = PAYLOAD_HEADER.unpack(_read_exactly(pipe, PAYLOAD_HEADER.size))
    if not length:
        return None
    content: Content = marshal.loads(_read_exactly(pipe, length))  # noqa: S302
    return content


def _read_exactly(pipe: int, length: int) -> bytes:
    received = _read(pipe, length)
    while len(received) < length:
        piece = _read(pipe, length - len(received))
        if not piece:
            raise EOFError
        received += piece
    return received
