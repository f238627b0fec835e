"""Runs a file confined and prints what came of it: `python -m runner.sandbox file.py`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from runner.sandbox import (
    LogLine,
    Module,
    Outcome,
    Pool,
    Program,
    SandboxBroken,
    SandboxUnavailable,
    Verdict,
    confinement_status,
)

_USAGE = "usage: python -m runner.sandbox FILE.py | status"
_SUBJECT = "Main"
# A file needn't define anything; what it is judged by is whether it runs to its end.
_SUBJECT_SOURCE = "def Main():\n    pass\n"


def main(arguments: list[str]) -> int:
    """0 when the file ran to its end, 1 when it didn't, 2 when it could not be run."""
    if len(arguments) != 1:
        print(_USAGE, file=sys.stderr)
        return 2
    if arguments[0] == "status":
        status = confinement_status()
        print("\n".join(status.lines()))
        return 0 if status.available else 2
    try:
        source = Path(arguments[0]).read_text(encoding="utf-8")
        with Pool() as pool:
            outcome = pool.run(_program(source), on_output=_show_lines)
    except (OSError, UnicodeDecodeError, SandboxUnavailable, SandboxBroken) as error:
        print(error, file=sys.stderr)
        return 2
    _show(outcome)
    return 0 if outcome.verdict is Verdict.PASSED else 1


def _program(source: str) -> Program:
    modules = (Module(_SUBJECT, _SUBJECT_SOURCE), Module("test", source))
    return Program(modules, "test", _SUBJECT)


def _show_lines(lines: Sequence[LogLine]) -> None:
    for line in lines:
        print(line.text, flush=True)


def _show(outcome: Outcome) -> None:
    for case in outcome.cases:
        print(f"{case.name}: {case.verdict} {case.message}".rstrip())
    place = f" (line {outcome.line})" if outcome.line else ""
    print(f"{outcome.verdict}{place}{': ' if outcome.message else ''}{outcome.message}")
    used = f"{outcome.cpu_us / 1000:.1f} ms of CPU, {outcome.wall_us / 1000:.1f} ms in all"
    print(f"{used}, {outcome.peak_bytes / 1e6:.1f} MB", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
