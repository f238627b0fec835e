"""Resource limits that a child puts on itself: the fixed ones, and later its program's."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from pathlib import Path

# Bound here, so that a child needn't look it up: that writes to memory.
_set = resource.setrlimit
_AS, _CPU = resource.RLIMIT_AS, resource.RLIMIT_CPU
_NOFILE = resource.RLIMIT_NOFILE

# For deep recursion through C (`functools.lru_cache`, `sorted(key=...)`): the kernel keeps at least
# 128 MB free below the stack, whatever the limit was when the process started. Counted as memory.
_STACK_BYTES = 64 * 1024 * 1024
_BACKSTOP_SECONDS = 2


def address_space_bytes() -> int:
    """What this process has mapped; to be asked before files are out of reach."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def limit_always() -> None:
    """What holds for every program and may hold for the zygote: no files, no locked memory."""
    for limited, most in (
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        resource.setrlimit(limited, (most, most))
    allowed = resource.getrlimit(resource.RLIMIT_STACK)[1]
    stack = _STACK_BYTES if allowed == resource.RLIM_INFINITY else min(_STACK_BYTES, allowed)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))


def limit_descriptors(count: int) -> None:
    """Let a process open no more than it has. Which processes it starts is for its filter to say.

    The kernel counts threads as processes, so there is no limit for the latter.
    """
    _set(_NOFILE, (count, count))


def rehearse() -> None:
    """Touch what limiting a program touches, and limit nothing."""
    for limited in (_AS, _CPU):
        _set(limited, resource.getrlimit(limited))


def limit_program(allowed: Mapping[str, int], base_bytes: int) -> None:
    """One program's own limits; its CPU time is counted once for compiling and once for running.

    The supervisor ends the process to the millisecond; should it be kept from that, the kernel does
    in whole seconds, by a signal that tells why.
    """
    most = base_bytes + allowed["memory_bytes"]
    _set(_AS, (most, most))
    # The same for a process and those that it forks, as none of them can raise it.
    seconds = -(-2 * allowed["cpu_ms"] // 1000) + _BACKSTOP_SECONDS
    _set(_CPU, (seconds, seconds + 1))
