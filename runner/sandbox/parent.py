"""The process that loads modules once, and forks for each program that shares them.

It runs user code and forks afterwards, so each fork waits until the supervisor lets it through: one
by the parent itself for each program that it has asked for, and none by a child.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import socket
from typing import NoReturn

from runner.sandbox import child
from runner.sandbox.jail import kernel, limits
from runner.sandbox.messages import (
    ANSWER,
    EXIT_BROKEN,
    EXIT_NO_PROGRAM,
    EXIT_UNCONFINED,
    REQUEST,
)
from runner.sandbox.output import Output
from runner.sandbox.protocol import Content

_DESCRIPTORS = 16


def live(
    template: child.Template,
    descriptor: int,
    zygote: int,
    run: child.Run | None,
    *,
    is_idle: bool,
) -> NoReturn:
    """The whole life of a parent; never returns into the zygote's code."""
    leave = os._exit
    try:
        if template.dies_with_parent:
            kernel.die_with_parent(zygote)
        child.keep_only(descriptor)
        # Told all of it, it needn't ask the kernel.
        pipe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=child.PIPE)
        listener = template.asking.listen()
        socket.send_fds(pipe, [b"\0"], [listener])
        os.close(listener)
        resource.setrlimit(resource.RLIMIT_NOFILE, (_DESCRIPTORS, _DESCRIPTORS))
        template.parent_seal.load()
        template.output.ready()
        if is_idle:
            child.warm_unless_wanted(template)
    except BaseException:
        leave(EXIT_UNCONFINED)
    try:
        content = child.receive()
        if content is None:
            leave(EXIT_NO_PROGRAM)
        limits.limit_program(content[4], template.base_bytes)
    except BaseException:
        leave(EXIT_NO_PROGRAM)
    try:
        execution = template.prepared(content, template.output)
        result = run(content, template.output) if run else execution.load()
        if result is not None:
            template.output.result(result, content[0])
            leave(0)
        loaded_for = template.output.elapsed()
        parent, descriptor = os.getpid(), _serve(pipe)
    except BaseException:
        leave(EXIT_BROKEN)
    # From here on this is one of its children.
    try:
        # Its forks would be refused like those of anybody who isn't the parent. That it ends with
        # that one matters while the supervisor doesn't know it yet.
        kernel.die_with_parent(parent)
        child.keep_only(descriptor)
        limits.limit_child()
        template.output.ready()
    except BaseException:
        leave(EXIT_UNCONFINED)

    def run_adopted(content: Content, output: Output) -> child.Result:
        execution.adopt(content)
        execution.prepare(pass_on=False)
        output.started(after=loaded_for, at_once=execution.compiles)
        return execution.run()

    # What limits its parent limits it as well.
    child.run_one(template, run or run_adopted, is_limited=True)


def _serve(pipe: socket.socket) -> int:
    """Fork on request until there is none any more; returns in each child, with its descriptor."""
    children = _Children()
    gc.freeze()
    while True:
        request, pipes, _, _ = socket.recv_fds(pipe, REQUEST.size, 1)
        if len(request) < REQUEST.size:
            # The supervisor has no more programs for it.
            os._exit(0)
        (number,) = REQUEST.unpack(request)
        if not pipes:
            os.write(child.PIPE, children.ending(number))
            continue
        # Nobody asks for those whose results were enough.
        children.reap_ended()
        (descriptor,) = pipes
        pid = os.fork()
        if not pid:
            return descriptor
        children.add(pid, number)
        os.close(descriptor)


class _Children:
    """The numbers of those that are alive, by their processes', and how the others ended."""

    def __init__(self) -> None:
        self._alive: dict[int, int] = {}
        self._ended: dict[int, bytes] = {}

    def add(self, pid: int, number: int) -> None:
        self._alive[pid] = number

    def reap_ended(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while self._reap(os.WNOHANG):
                pass

    def ending(self, number: int) -> bytes:
        """How one ended; waits until it has."""
        while number not in self._ended:
            self._reap(0)
        return self._ended.pop(number)

    def _reap(self, options: int) -> bool:
        pid, status, used = os.wait4(-1, options)
        if pid:
            cpu_us = round((used.ru_utime + used.ru_stime) * 1e6)
            ending = ANSWER.pack(status, cpu_us, used.ru_maxrss * 1024)
            self._ended[self._alive.pop(pid)] = ending
        return pid > 0
