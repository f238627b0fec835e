"""Runs a program's source as plain Python, in the jail: what an attacker finds at the worst."""

from __future__ import annotations

import builtins
import ctypes
import errno
import fcntl
import gc
import mmap
import os
import resource
import select
import signal
import socket
import struct
import threading
import time
from typing import Any

from runner.sandbox.process.output import Output
from runner.sandbox.report.results import result_of
from runner.sandbox.supervisor.protocol import Content

_LIBC = ctypes.CDLL(None, use_errno=True)


def attempt(action: Any) -> str:
    """What the kernel answers: the error's name, or "allowed"."""
    try:
        action()
    except OSError as refused:
        return errno.errorcode.get(refused.errno or 0, "?")
    except (RuntimeError, ValueError) as refused:
        return str(refused)
    except MemoryError:
        return "no memory"
    return "allowed"


def system_call(number: int, *arguments: Any) -> int:
    """Any system call, as machine code would make it."""
    returned = _LIBC.syscall(number, *arguments)
    if returned < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return int(returned)


# How 32-bit programs enter the kernel: push rbx; mov eax, edi; int 0x80; pop rbx; ret. Put into
# executable memory before that is forbidden.
_CODE = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
_CODE.write(bytes.fromhex("53 89f8 cd80 5b c3"))
interrupt = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(
    ctypes.addressof(ctypes.c_char.from_buffer(_CODE))
)


def run_bare(content: Content, output: Output, borders: list[int]) -> dict[str, Any]:
    """In place of a judge; `values` collects what the code wants to say."""
    output.started(content["began"])
    values: dict[str, Any] = {}

    def reached(what: object = "it") -> None:
        """Tell that something outside of the process was got at."""
        values["reached"] = str(what)

    available = {
        "__builtins__": builtins,
        "attempt": attempt,
        "system_call": system_call,
        "interrupt": interrupt,
        "values": values,
        "log": print,
        "output": output,
        "ctypes": ctypes,
        "gc": gc,
        "mmap": mmap,
        "os": os,
        "signal": signal,
        "socket": socket,
        "struct": struct,
        "threading": threading,
        "time": time,
        "fcntl": fcntl,
        "resource": resource,
        "select": select,
        "reached": reached,
        "borders": borders,
        "CHANNEL": 3,
    }
    try:
        exec(compile(content["modules"][0][1], "F", "exec"), available)  # noqa: S102
    except Exception as error:  # noqa: BLE001
        return result_of("error", repr(error))
    return result_of("passed", value=values)
