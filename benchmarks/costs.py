"""CPU time and memory of processes, from /proc."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU time of these processes and all their descendants, including ended ones."""
    children: dict[int, list[int]] = defaultdict(list)
    used: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        children[int(fields[1])].append(int(entry.name))
        used[int(entry.name)] = sum(map(int, fields[11:15])) / _TICKS
    waiting, total = list(pids), 0.0
    while waiting:
        pid = waiting.pop()
        total += used.get(pid, 0.0)
        waiting += children[pid]
    return total


def own_cpu_seconds(pid: int) -> float:
    """Return the CPU time of this process without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / _TICKS


def resident_mb(pids: Iterable[int]) -> float:
    """Return the resident memory of these processes in total."""
    pages = [int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) for pid in pids]
    return sum(pages) * _PAGE / 1e6
