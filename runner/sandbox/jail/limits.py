"""Resource limits that a process sets for itself: fixed ones, and later its program's."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from pathlib import Path

# Bound here, because attribute lookups in a child write to memory.
_set = resource.setrlimit
_AS, _CPU = resource.RLIMIT_AS, resource.RLIMIT_CPU
_NOFILE = resource.RLIMIT_NOFILE

# For deep recursion through C (`functools.lru_cache`, `sorted(key=...)`). The kernel keeps at least
# 128 MB free below the stack, whatever the limit was at the start. Counted as memory.
_STACK_BYTES = 64 * 1024 * 1024
_BACKSTOP_SECONDS = 2


def address_space_bytes() -> int:
    """Return the size of this process's address space; must be called before files are denied."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def limit_always() -> None:
    """Set the limits that hold for the zygote and all programs: no files, no locked memory."""
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
    """Limit the number of descriptors.

    Processes are not limited, because the kernel counts threads as well; seccomp controls forks.
    """
    _set(_NOFILE, (count, count))


def rehearse() -> None:
    """Do the same as `limit_program` without an effect, to touch the same memory."""
    for limited in (_AS, _CPU):
        _set(limited, resource.getrlimit(limited))


def limit_program(allowed: Mapping[str, int], base_bytes: int) -> None:
    """Set a program's limits.

    The supervisor enforces the CPU limit to the millisecond. The kernel's limit, in whole seconds,
    is a backstop; it allows twice the time, for compiling and for running, and sends SIGXCPU.
    """
    most = base_bytes + allowed["memory_bytes"]
    _set(_AS, (most, most))
    # Soft and hard limit differ by a second, so that the signal is SIGXCPU and not SIGKILL.
    seconds = -(-2 * allowed["cpu_ms"] // 1000) + _BACKSTOP_SECONDS
    _set(_CPU, (seconds, seconds + 1))
