"""The zygote: the warm process that the others are forked from. It never reads user data."""

from __future__ import annotations

import ctypes
import dataclasses
import gc
import json
import os
import re
import select
import socket
import sys
from typing import NoReturn

from runner.sandbox.jail import confinement, kernel, limits, trials
from runner.sandbox.process import child
from runner.sandbox.supervisor.messages import (
    ENDED,
    ENDING,
    LONGEST_ANSWER,
    MOST_AT_ONCE,
    SPAWN,
    SPAWNED,
    SPAWNED_SOME,
)

_TRIAL_LIMITS = {"memory_bytes": 16 << 20, "cpu_ms": 1_000}

# Python specialises code over its first few executions.
_REHEARSALS = 20

# The lower half of the reference count of immortal objects (PEP 683, Python 3.12).
_IMMORTAL = 0xFFFF_FFFF

# A line of `sys._debugmallocstats`: class, size, pools, blocks in use, blocks free.
_OF_CLASS = re.compile(rb"^ *\d+ +(\d+) +\d+ +\d+ +(\d+)$", re.MULTILINE)
_SMALLEST, _OF_COMPLEX = 16, 32

# The objects that fill free blocks.
_kept: list[object] = []


def main(
    control_descriptor: int, launcher: str, starter: int, outside: str, run: child.Run
) -> None:
    """Prepare, confine this process, report that, and fork on request until the supervisor ends.

    `outside` is the name of a socket that can't be reached from here afterwards. `run` is the
    entry of the forked processes.
    """
    control = socket.socket(fileno=control_descriptor)
    try:
        template, layers = _get_ready(control, launcher, starter, outside, run)
    except BaseException as error:
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        os._exit(1)
    control.send(json.dumps(dataclasses.asdict(layers)).encode())
    _Zygote(control, template).serve()


def _get_ready(
    control: socket.socket, launcher: str, starter: int, outside: str, run: child.Run
) -> tuple[child.Template, confinement.Layers]:
    if launcher != "bubblewrap":
        kernel.die_with_parent(starter)
    machine = confinement.machine()
    confinement.filters_for(machine)
    template = child.Template(machine, run)
    template.prepare()
    for _ in range(_REHEARSALS):
        template.warm()
    _settle_heap()
    template.base_bytes = limits.address_space_bytes()
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)
    empty_root = confinement.withdraw(launcher, control.fileno(), starter)
    template.dies_with_parent = launcher == "bare"
    trial = trials.Trial(starter, outside)
    layers = confinement.close_up(launcher, machine, trial, empty_root=empty_root)
    _try_as_program(template, trial)
    counted = dataclasses.replace(layers, attempts=trial.attempts, trial_ms=trial.milliseconds)
    return template, counted


def _try_as_program(template: child.Template, trial: trials.Trial) -> None:
    """Confine children as for a program, and check that they can't escape."""
    zygote = os.getpid()

    def confine() -> None:
        child.confine(template, 0, zygote)

    def limit() -> None:
        confine()
        limits.limit_program(_TRIAL_LIMITS, template.base_bytes)

    trial.require("seccomp", confine)
    trial.require("attacks", confine)
    trial.require("memory limit", limit)


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
            # Reap first, so that memory is free for new processes.
            if len(ready) > (control in ready):
                self._reap()
            if control in ready:
                self._spawn()

    def _spawn(self) -> None:
        request, pipes, _, _ = socket.recv_fds(self._control, 64, MOST_AT_ONCE)
        if not request:
            # The supervisor has ended; children end with this process.
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


# --- the heap -------------------------------------------------------------------------------------


def _settle_heap() -> None:
    """Arrange the heap so that forked processes copy few of its pages; call once.

    A forked process copies each page that it writes to, which is most of a small run's cost. Python
    writes to every object that it uses, because of reference counts, and allocates new objects in
    the gaps between old ones. So all objects are made immortal, which turns counting off, and the
    gaps are filled, so that new objects are allocated together.
    """
    gc.collect()
    if sys.version_info >= (3, 12):
        for thing in _all_objects():
            ctypes.c_uint32.from_address(id(thing)).value = _IMMORTAL
    gc.freeze()
    sizes = [size for size, count in _free_blocks() for _ in range(count)]
    _kept.extend([None] * len(sizes))
    for place, size in enumerate(sizes):
        _kept[place] = _object_of(size)


def _all_objects() -> list[object]:
    """Return all objects that can be found, including those that the collector doesn't track."""
    found: list[object] = gc.get_objects()
    known = {id(thing) for thing in found}
    for thing in found:
        for held in gc.get_referents(thing):
            if id(held) not in known:
                known.add(id(held))
                found.append(held)
    return found


def _object_of(size: int) -> object:
    if size == _SMALLEST:
        return object()
    return complex(size) if size == _OF_COMPLEX else bytes(size - sys.getsizeof(b""))


def _free_blocks() -> list[tuple[int, int]]:
    """Return (size in bytes, number of free blocks) of partly used pools."""
    told, stderr = os.memfd_create("statistics"), os.dup(2)
    os.dup2(told, 2)
    try:
        sys._debugmallocstats()  # noqa: SLF001
    finally:
        os.dup2(stderr, 2)
    statistics = os.pread(told, 1 << 20, 0)
    for each in (told, stderr):
        os.close(each)
    return [(int(size), int(free)) for size, free in _OF_CLASS.findall(statistics)]
