"""Processes and what they have started, as the kernel knows them."""

import contextlib
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """A process; its number and the instant of its start are no other's."""

    pid: int
    started: int  # in ticks since the machine's
    parent: int


def descendants(pid: int) -> list[Process]:
    """Return all that this process has started, directly or not, the eldest first."""
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
    """Return those that have started none of the others."""
    known = list(processes)
    parents = {process.parent for process in known}
    return [process for process in known if process.pid not in parents]


def send(process: Process, number: signal.Signals) -> None:
    """Signal it, if it is there yet."""
    if is_there(process):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


def is_there(process: Process) -> bool:
    """Say whether this very process runs."""
    seen = _read(process.pid)
    return seen is not None and seen.started == process.started


def _all() -> list[Process]:
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return [process for number in numbers if (process := _read(number)) is not None]


def _read(pid: int) -> Process | None:
    """Return the process, unless there is none, or one that has ended and waits to be noticed."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if words[0] in "ZX" else Process(pid, int(words[19]), int(words[1]))
