"""Processes and their descendants, from /proc."""

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """A process, identified by its id and start time."""

    pid: int
    started: int  # ticks since boot
    parent: int


def descendants(pid: int) -> list[Process]:
    """Return all descendants of this process, oldest first."""
    children: dict[int, list[Process]] = {}
    for process in _all():
        children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    waiting = [pid]
    while waiting:
        born = children.get(waiting.pop(), [])
        found += born
        waiting += [process.pid for process in born]
    return sorted(found, key=lambda process: process.started)


def leaves(processes: Iterable[Process]) -> list[Process]:
    """Return those without children among the others."""
    known = list(processes)
    parents = {process.parent for process in known}
    return [process for process in known if process.pid not in parents]


def send(process: Process, number: signal.Signals) -> None:
    """Send a signal to the process, if it still runs."""
    if is_there(process):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


def is_there(process: Process) -> bool:
    """Return whether this very process runs."""
    seen = _read(process.pid)
    return seen is not None and seen.started == process.started


def _all() -> list[Process]:
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return [process for number in numbers if (process := _read(number)) is not None]


def _read(pid: int) -> Process | None:
    """Return the process; None if it has ended, even if it is a zombie."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if words[0] in "ZX" else Process(pid, int(words[19]), int(words[1]))
