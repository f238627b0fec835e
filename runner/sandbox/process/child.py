"""A process of a run: shuts everything behind itself, gets its program, does its part, and ends."""

from __future__ import annotations

import array
import gc
import marshal
import os
import resource
import select
import socket
from collections.abc import Callable
from typing import Any, NoReturn

from runner.sandbox.border.protocol import Gone
from runner.sandbox.jail import kernel, limits
from runner.sandbox.jail.filters_generated import FILTERS
from runner.sandbox.process.output import Output
from runner.sandbox.supervisor.messages import (
    EXIT_BROKEN,
    EXIT_DONE,
    EXIT_NO_PROGRAM,
    EXIT_UNCONFINED,
)
from runner.sandbox.supervisor.protocol import PAYLOAD_HEADER, Content, Role

PIPE = 3

_RESERVE_BYTES = 1 << 20
_MOST_DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
_MOST_BORDERS = 2
_LONGEST_PIECE = 1 << 16

# A process that has waited so long, its pool being idle, uses the time.
_PATIENCE_MILLISECONDS = 15

# Does a process's part; it may have `prepare` and `warm` as well, see `Roles`.
Run = Callable[[Content, Output, list[int]], dict[str, Any] | None]


class Template:
    """All that a process needs, made once in the zygote and inherited by forking."""

    def __init__(self, machine: str, run: Run) -> None:
        self.seal = kernel.SeccompFilter(FILTERS[machine]["member"])
        # Where no namespace ends with the zygote, each child has to.
        self.dies_with_parent = False
        self.output = Output(PIPE)
        self.base_bytes = 0
        # Given back once memory has run out, so that there is some to say so.
        self.reserve = [bytes(_RESERVE_BYTES)]
        self.run = run

    def prepare(self) -> None:
        """Get ready what the runs need, while files are within reach."""
        if (prepare := getattr(self.run, "prepare", None)) is not None:
            prepare(self.output)

    def warm(self) -> None:
        """Do what is always the same, so that the pages it touches are this process's own."""
        if (warm := getattr(self.run, "warm", None)) is not None:
            warm()
        limits.rehearse()


def confine(template: Template, descriptor: int, parent: int) -> None:
    """Do everything that needs no program yet; afterwards only the pipe and memory are left."""
    if template.dies_with_parent:
        kernel.die_with_parent(parent)
    if descriptor != PIPE:
        os.dup2(descriptor, PIPE)
    # Those before it lead nowhere, and keep their places from those that are to come.
    os.closerange(PIPE + 1, _MOST_DESCRIPTORS)
    limits.limit_descriptors(PIPE + 1 + _MOST_BORDERS)
    template.seal.load()


def live(template: Template, descriptor: int, zygote: int, *, is_idle: bool) -> NoReturn:
    """The whole life of a process; never returns into the zygote's code."""
    leave = os._exit  # whatever user code makes of that
    try:
        confine(template, descriptor, zygote)
        template.output.ready()
        pipe = _Pipe()
        if is_idle:
            _warm_unless_wanted(template)
    except BaseException:
        leave(EXIT_UNCONFINED)
    try:
        while (content := pipe.receive()) is None:
            _warm_unless_wanted(template)
        limits.limit_program(content["limits"], template.base_bytes)
    except BaseException:
        leave(EXIT_NO_PROGRAM)
    code = EXIT_BROKEN
    try:
        result = template.run(content, template.output, pipe.borders)
        template.reserve.clear()
        code = EXIT_DONE
        if content["role"] == Role.JUDGE:
            template.output.result(result, content["token"])
            # The others would take its end for that of the run, before the supervisor has looked.
            pipe.wait()
    except MemoryError:
        template.reserve.clear()
        template.output.exhausted()
        code = EXIT_DONE
    except Gone:
        # How that one ended says what came of the run.
        code = EXIT_DONE
    finally:
        # Whatever else happens, nothing goes back into the zygote's code.
        leave(code)


def _warm_unless_wanted(template: Template) -> None:
    """Use the time until a program comes, if that isn't at once."""
    waiting = select.poll()
    waiting.register(PIPE, select.POLLIN)
    if not waiting.poll(_PATIENCE_MILLISECONDS):
        template.warm()
        # A program could come across what is left of it.
        gc.collect()
        template.output.ready()


class _Pipe:
    """What the supervisor writes, which alone may be trusted."""

    def __init__(self) -> None:
        # Told all of it, it needn't ask the kernel.
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=PIPE)
        self._received = b""
        self.borders: list[int] = []

    def receive(self) -> Content | None:
        """Return the program; None for an empty one, which says that there is time to warm."""
        (length,) = PAYLOAD_HEADER.unpack(self._take(PAYLOAD_HEADER.size))
        content: Content | None = marshal.loads(self._take(length)) if length else None  # noqa: S302
        return content

    def wait(self) -> None:
        """Wait for the supervisor to go, or to end this process."""
        while self._socket.recvmsg(1)[0]:
            pass

    def _take(self, size: int) -> bytes:
        while len(self._received) < size:
            # As socket.recv_fds does, which imports what it needs in each process.
            space = socket.CMSG_SPACE(_MOST_BORDERS * array.array("i").itemsize)
            piece, ancillary, _, _ = self._socket.recvmsg(_LONGEST_PIECE, space)
            if not piece:
                raise EOFError
            for _, _, told in ancillary:
                self.borders += array.array("i", told)
            self._received += piece
        taken, self._received = self._received[:size], self._received[size:]
        return taken
