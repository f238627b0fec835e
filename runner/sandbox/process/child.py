"""The life of a process of a run: it confines itself, receives its program, runs it and exits."""

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

# An idle pool's process warms up after it has waited this long.
_PATIENCE_MILLISECONDS = 15

# Runs a process's part of a program; it may have `prepare` and `warm` as well, see `Roles`.
Run = Callable[[Content, Output, list[int]], dict[str, Any] | None]


class Template:
    """The state of a process, made once in the zygote and inherited by forking."""

    def __init__(self, machine: str, run: Run) -> None:
        self.seal = kernel.SeccompFilter(FILTERS[machine]["member"])
        # Set if children don't end with the zygote's namespaces.
        self.dies_with_parent = False
        self.output = Output(PIPE)
        self.base_bytes = 0
        # Freed when memory has run out, so that this can be reported.
        self.reserve = [bytes(_RESERVE_BYTES)]
        self.run = run

    def prepare(self) -> None:
        """Prepare for runs, while files can be read."""
        if (prepare := getattr(self.run, "prepare", None)) is not None:
            prepare(self.output)

    def warm(self) -> None:
        """Do what all runs do, so that the pages that it writes to are copied now."""
        if (warm := getattr(self.run, "warm", None)) is not None:
            warm()
        limits.rehearse()


def confine(template: Template, descriptor: int, parent: int) -> None:
    """Confine this process; afterwards it has only its pipe and memory."""
    if template.dies_with_parent:
        kernel.die_with_parent(parent)
    if descriptor != PIPE:
        os.dup2(descriptor, PIPE)
    # Descriptors 0 to 2 are /dev/null; open, so that these numbers are not reused.
    os.closerange(PIPE + 1, _MOST_DESCRIPTORS)
    limits.limit_descriptors(PIPE + 1 + _MOST_BORDERS)
    template.seal.load()


def live(template: Template, descriptor: int, zygote: int, *, is_idle: bool) -> NoReturn:
    """Live the whole life of a process; never returns to the zygote's code."""
    leave = os._exit  # bound before user code could replace it
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
            # The judge's end would end the other processes before the supervisor has measured them.
            pipe.wait()
    except MemoryError:
        template.reserve.clear()
        template.output.exhausted()
        code = EXIT_DONE
    except Gone:
        # Another process has ended; the supervisor judges by its end.
        code = EXIT_DONE
    finally:
        # Never return to the zygote's code, whatever happens.
        leave(code)


def _warm_unless_wanted(template: Template) -> None:
    """Warm up, unless a program arrives within a moment."""
    waiting = select.poll()
    waiting.register(PIPE, select.POLLIN)
    if not waiting.poll(_PATIENCE_MILLISECONDS):
        template.warm()
        # A program could find the objects left over.
        gc.collect()
        template.output.ready()


class _Pipe:
    """The reading end of the supervisor's pipe; the supervisor is trusted."""

    def __init__(self) -> None:
        # With all arguments given, `socket` doesn't query the kernel.
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=PIPE)
        self._received = b""
        self.borders: list[int] = []

    def receive(self) -> Content | None:
        """Return the program; None for the message that there is time to warm up."""
        (length,) = PAYLOAD_HEADER.unpack(self._take(PAYLOAD_HEADER.size))
        content: Content | None = marshal.loads(self._take(length)) if length else None  # noqa: S302
        return content

    def wait(self) -> None:
        """Wait until the supervisor closes the pipe or kills this process."""
        while self._socket.recvmsg(1)[0]:
            pass

    def _take(self, size: int) -> bytes:
        while len(self._received) < size:
            # Like socket.recv_fds, which would import modules in each process.
            space = socket.CMSG_SPACE(_MOST_BORDERS * array.array("i").itemsize)
            piece, ancillary, _, _ = self._socket.recvmsg(_LONGEST_PIECE, space)
            if not piece:
                raise EOFError
            for _, _, told in ancillary:
                self.borders += array.array("i", told)
            self._received += piece
        taken, self._received = self._received[:size], self._received[size:]
        return taken
