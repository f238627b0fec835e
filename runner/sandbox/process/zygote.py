"""The warm process that others are forked from: it forks and reaps, and reads no user data."""

from __future__ import annotations

import dataclasses
import json
import os
import select
import socket
from typing import NoReturn

from runner.sandbox.jail import confinement, kernel, limits
from runner.sandbox.process import child, heap
from runner.sandbox.supervisor.messages import (
    ENDED,
    ENDING,
    LONGEST_ANSWER,
    MOST_AT_ONCE,
    SPAWN,
    SPAWNED,
    SPAWNED_SOME,
)

# Python adapts code over the first few times that it is used.
_REHEARSALS = 20


def main(control_descriptor: int, launcher: str, starter: int, run: child.Run) -> None:
    """Get ready, shut everything, say so, and fork on request until the supervisor is gone.

    `run` does what the forked processes are for.
    """
    control = socket.socket(fileno=control_descriptor)
    try:
        template, layers = _get_ready(control, launcher, starter, run)
    except BaseException as error:
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        os._exit(1)
    control.send(json.dumps(dataclasses.asdict(layers)).encode())
    _Zygote(control, template).serve()


def _get_ready(
    control: socket.socket, launcher: str, starter: int, run: child.Run
) -> tuple[child.Template, confinement.Layers]:
    if launcher != "bubblewrap":
        kernel.die_with_parent(starter)
    machine = confinement.machine()
    confinement.filters_for(machine)
    template = child.Template(machine, run)
    template.prepare()
    for _ in range(_REHEARSALS):
        template.warm()
    heap.settle()
    template.base_bytes = limits.address_space_bytes()
    _leave_standard_streams()
    empty_root = confinement.withdraw(launcher, control.fileno(), starter)
    template.dies_with_parent = launcher == "bare"
    limits.limit_always()
    layers = confinement.close_up(launcher, machine, empty_root=empty_root)
    _try_to_escape(template)
    return template, layers


def _leave_standard_streams() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)


def _try_to_escape(template: child.Template) -> None:
    """Confine a process as for a program and see that nothing is left to it."""
    zygote = os.getpid()
    pid = os.fork()
    if not pid:
        code = len(confinement.ESCAPES) - 1
        try:
            child.confine(template, 0, zygote)
            code = confinement.find_escape()
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    found = os.waitstatus_to_exitcode(status)
    if found:
        raise RuntimeError(f"confinement doesn't hold: a child could {confinement.ESCAPES[found]}")


class _Zygote:
    def __init__(self, control: socket.socket, template: child.Template) -> None:
        self._control = control
        self._template = template
        self._children: dict[int, tuple[int, int]] = {}
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)

    def serve(self) -> NoReturn:
        control = self._control.fileno()
        while True:
            ready = [descriptor for descriptor, _ in self._poll.poll()]
            # Those that ended first, so that their memory is there for the next.
            if len(ready) > (control in ready):
                self._reap()
            if control in ready:
                self._spawn()

    def _spawn(self) -> None:
        request, pipes, _, _ = socket.recv_fds(self._control, 64, MOST_AT_ONCE)
        if not request:
            # The supervisor is gone. Children end with their parent.
            os._exit(0)
        first, is_idle = SPAWN.unpack(request)
        handles: list[int] = []
        zygote = os.getpid()
        for number, pipe in enumerate(pipes, first):
            try:
                pid = os.fork()
            except OSError:
                break
            if not pid:
                child.live(self._template, pipe, zygote, is_idle=is_idle)
            handle = os.pidfd_open(pid)
            handles.append(handle)
            self._children[pid] = (handle, number)
            self._poll.register(handle, select.POLLIN)
        answer = bytes([SPAWNED]) + SPAWNED_SOME.pack(first, len(pipes))
        socket.send_fds(self._control, [answer], handles)
        for pipe in pipes:
            os.close(pipe)

    def _reap(self) -> None:
        endings = bytearray([ENDED])
        while len(endings) < LONGEST_ANSWER:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if not pid:
                break
            handle, number = self._children.pop(pid)
            self._poll.unregister(handle)
            os.close(handle)
            cpu_us = round((used.ru_utime + used.ru_stime) * 1e6)
            endings += ENDING.pack(number, status, cpu_us, used.ru_maxrss * 1024)
        if len(endings) > 1:
            self._control.send(endings)
