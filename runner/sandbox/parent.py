"""The process that loads modules once, and forks for each program that shares them.

It runs user code and forks afterwards, so each fork waits until the supervisor lets it through: one
by the parent itself for each program that it has asked for, and none by a child.
"""

from __future__ import annotations

import gc
import os
import resource
import socket
from typing import NoReturn

from runner.sandbox import child, kernel, limits
from runner.sandbox.messages import (
    ANSWER,
    EXIT_BROKEN,
    EXIT_NO_PROGRAM,
    EXIT_UNCONFINED,
    MOST_BORN_AT_ONCE,
    REQUEST,
)
from runner.sandbox.output import Output
from runner.sandbox.protocol import Content

_DESCRIPTORS = 16


def live(template: child.Template, descriptor: int, zygote: int, run: child.Run | None) -> NoReturn:
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
        # Its forks would be refused like those of anybody who isn't the parent.
        if template.dies_with_parent:
            kernel.die_with_parent(parent)
        child.keep_only(descriptor)
        limits.limit_child()
        template.output.ready()
    except BaseException:
        leave(EXIT_UNCONFINED)

    def run_adopted(content: Content, output: Output) -> child.Result:
        execution.adopt(content)
        execution.prepare(pass_on=False)
        output.started(after=loaded_for)
        return execution.run()

    # What limits its parent limits it as well.
    child.run_one(template, run or run_adopted, is_limited=True)


def _serve(pipe: socket.socket) -> int:
    """Fork on request until there is none any more; returns in each child, with its descriptor."""
    pids: dict[int, int] = {}
    ended: dict[int, tuple[int, resource.struct_rusage]] = {}
    gc.freeze()
    while True:
        request, pipes, _, _ = socket.recv_fds(pipe, REQUEST.size, MOST_BORN_AT_ONCE)
        if len(request) < REQUEST.size:
            # The supervisor has no more programs for it.
            os._exit(0)
        (number,) = REQUEST.unpack(request)
        if pipes:
            for n, descriptor in enumerate(pipes, number):
                pids[n] = os.fork()
                if not pids[n]:
                    return descriptor
            for descriptor in pipes:
                os.close(descriptor)
        else:
            while pids[number] not in ended:
                pid, status, used = os.wait4(-1, 0)
                ended[pid] = (status, used)
            status, used = ended[pids[number]]
            cpu_us = round((used.ru_utime + used.ru_stime) * 1e6)
            os.write(child.PIPE, ANSWER.pack(status, cpu_us, used.ru_maxrss * 1024))
