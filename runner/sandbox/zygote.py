"""The warm process that children are forked from: it forks and reaps, and reads no user data."""

from __future__ import annotations

import dataclasses
import gc
import importlib
import json
import os
import select
import socket
import struct
from typing import NoReturn

from runner.sandbox import child, confinement, kernel, limits
from runner.sandbox.shims import make_import, make_shims

SPAWN = struct.Struct("<I")
EVENT = struct.Struct("<BIiQQ")
SPAWNED, ENDED, NOT_SPAWNED = 1, 2, 3

# Imported by the standard library only when first needed; afterwards files are out of reach.
_LAZILY_IMPORTED = """
_strptime _pydecimal linecache traceback stringprep unicodedata encodings.ascii encodings.latin_1
encodings.utf_8 encodings.utf_8_sig encodings.utf_16 encodings.utf_16_le encodings.utf_16_be
encodings.utf_32 encodings.utf_32_le encodings.utf_32_be encodings.cp1252 encodings.cp437
encodings.idna encodings.punycode encodings.hex_codec encodings.base64_codec encodings.rot_13
encodings.zlib_codec encodings.unicode_escape encodings.raw_unicode_escape
""".split()


def main(control_descriptor: int, launcher: str, parent: int, run: child.RunProgram | None) -> None:
    """Get ready, shut everything, say so, and fork on request until the supervisor is gone.

    `run` replaces the running of a program under the policy; only tests of the layers below do.
    """
    control = socket.socket(fileno=control_descriptor)
    try:
        template, layers = _get_ready(control, launcher, parent)
    except BaseException as error:
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        os._exit(1)
    control.send(json.dumps(dataclasses.asdict(layers)).encode())
    _Zygote(control, template, run or template.run_program).serve()


def _get_ready(
    control: socket.socket, launcher: str, parent: int
) -> tuple[child.Template, confinement.Layers]:
    if launcher != "bubblewrap":
        kernel.die_with_parent(parent)
    machine = confinement.machine()
    confinement.filters_for(machine)
    template = child.Template(machine, make_import(make_shims()))
    for name in _LAZILY_IMPORTED:
        importlib.import_module(name)
    template.warm()
    template.base_bytes = limits.address_space_bytes()
    _leave_standard_streams()
    empty_root = confinement.withdraw(launcher, control.fileno(), parent)
    layers = confinement.close_up(launcher, machine, empty_root=empty_root)
    _try_to_escape(template)
    gc.collect()
    gc.freeze()
    return template, layers


def _leave_standard_streams() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)


def _try_to_escape(template: child.Template) -> None:
    """Confine a child as for a program and see that nothing is left to it."""
    reading, writing = os.pipe()
    zygote = os.getpid()
    pid = os.fork()
    if not pid:
        try:
            child.confine(template, writing, zygote)
            template.seal.load()
            os.write(child.PIPE, (confinement.find_escape() or "nothing").encode())
        finally:
            os._exit(0)
    os.close(writing)
    found = os.read(reading, 200).decode()
    os.close(reading)
    os.waitpid(pid, 0)
    if found != "nothing":
        raise RuntimeError(f"confinement doesn't hold: a child could {found or 'not be confined'}")


class _Zygote:
    def __init__(
        self, control: socket.socket, template: child.Template, run: child.RunProgram
    ) -> None:
        self._control = control
        self._template = template
        self._run = run
        self._children: dict[int, tuple[int, int]] = {}
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)

    def serve(self) -> NoReturn:
        control = self._control.fileno()
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == control:
                    self._spawn()
                else:
                    self._reap(descriptor)

    def _spawn(self) -> None:
        request, descriptors, _, _ = socket.recv_fds(self._control, 64, 1)
        if not request:
            # The supervisor is gone. Children end with their parent.
            os._exit(0)
        (ident,) = SPAWN.unpack(request)
        zygote = os.getpid()
        try:
            pid = os.fork()
        except OSError:
            os.close(descriptors[0])
            self._control.send(EVENT.pack(NOT_SPAWNED, ident, 0, 0, 0))
            return
        if not pid:
            child.live(self._template, descriptors[0], zygote, self._run)
        os.close(descriptors[0])
        process = os.pidfd_open(pid)
        self._children[process] = (pid, ident)
        self._poll.register(process, select.POLLIN)
        socket.send_fds(self._control, [EVENT.pack(SPAWNED, ident, 0, 0, 0)], [process])

    def _reap(self, process: int) -> None:
        pid, ident = self._children.pop(process)
        self._poll.unregister(process)
        os.close(process)
        _, status, used = os.wait4(pid, 0)
        cpu_us = round((used.ru_utime + used.ru_stime) * 1e6)
        self._control.send(EVENT.pack(ENDED, ident, status, cpu_us, used.ru_maxrss * 1024))
