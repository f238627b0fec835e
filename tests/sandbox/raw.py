"""Runs a program's source as plain Python: what an attacker has once the policy is broken."""

from __future__ import annotations

import builtins
import ctypes
import errno
import gc
import mmap
import os
import signal
import socket
import struct
import threading
import time
from typing import Any

from runner.sandbox.judging import result_of
from runner.sandbox.output import Output
from runner.sandbox.protocol import Content

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


def run_plainly(content: Content, output: Output) -> dict[str, Any]:
    """In place of the policy's way of running; `values` collects what the code wants to say."""
    output.started()
    output._send(b"")
    values: dict[str, Any] = {}
    available = {
        "__builtins__": builtins,
        "attempt": attempt,
        "system_call": system_call,
        "interrupt": interrupt,
        "values": values,
        "log": output.print,
        "output": output,
        "ctypes": ctypes,
        "gc": gc,
        "mmap": mmap,
        "os": os,
        "signal": signal,
        "socket": socket,
        "struct": struct,
        "threading": threading,
    }
    try:
        exec(compile(content[1][0][1], "F", "exec"), available)  # noqa: S102
    except Exception as error:  # noqa: BLE001
        return result_of("error", repr(error))
    return result_of("passed", value=values)


def run_all_plainly(content: Content, output: Output) -> dict[str, Any] | None:
    """All modules, one after the other; it is theirs to say `output.loaded()`."""
    if content[2] != "load":
        # A parent has said so before.
        output.started()
    output._send(b"")
    available = {"__builtins__": builtins, "output": output, "os": os, "struct": struct}
    available |= {
        "signal": signal,
        "ctypes": ctypes,
        "attempt": attempt,
        "token": content[0],
        "modules": content[1],
        "time": time,
    }
    for name, source, _, _ in content[1]:
        try:
            exec(compile(source, name, "exec"), available)  # noqa: S102
        except Exception as error:  # noqa: BLE001
            return result_of("error", repr(error))
    return None
