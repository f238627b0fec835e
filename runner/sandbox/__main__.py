"""Command line: runs files in the sandbox, without a site: `python -m runner.sandbox --help`."""

from __future__ import annotations

import argparse
import dataclasses
import io
import json
import math
import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from runner.sandbox import (
    Limits,
    LogLine,
    Module,
    Outcome,
    Pool,
    Program,
    Refused,
    SandboxBroken,
    SandboxUnavailable,
    Verdict,
    as_module,
    inspect,
)

_PASSED, _NOT_PASSED, _NOT_RUN, _INTERRUPTED = 0, 1, 2, 130
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_HELP = f"""\
Run a file of Python, or of JavaScript (.js), in a sandbox without network and files, and report the
result.
The program's output goes to standard output at once, everything else to standard error.
One FILE may be "-" for standard input. "status" reports how this machine confines programs, and
"status --json" does so as one object.

Exit code: {_PASSED} passed, {_NOT_PASSED} not passed, {_NOT_RUN} wrong usage or a sandbox failure.
"""


def main(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code."""
    if list(arguments) in (["status"], ["status", "--json"]):
        status = inspect()
        print(json.dumps(status.as_json()) if arguments[1:] else "\n".join(status.lines()))
        return _PASSED if status.layers else _NOT_RUN
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        program, paths = _program(options)
    except Refused as refused:
        parser.error(str(refused))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with Pool() as pool:
            outcome = pool.run(program, on_output=_ignore if options.json else _show_lines)
    except (SandboxUnavailable, SandboxBroken) as error:
        print(error, file=sys.stderr)
        return _NOT_RUN
    except BrokenPipeError:
        # The reader is gone; without this, Python would fail again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _NOT_PASSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    if options.json:
        print(json.dumps(_as_json(outcome)))
    else:
        _show(outcome, paths)
    return _PASSED if outcome.verdict is Verdict.PASSED else _NOT_PASSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m runner.sandbox",
        description=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="the program, or the module under --test")
    parser.add_argument(
        "--test",
        metavar="FILE",
        help="run this test with FILE's public names; each function `test_...` is a case",
    )
    parser.add_argument(
        "--module",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="another module, whose public names all later modules get (may be repeated)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument(
        "--timeout",
        metavar="S",
        type=_amount(1000, 0.001, 3600),
        help="time limit in seconds (default: 2 of CPU time, 10 of wall-clock time)",
    )
    parser.add_argument(
        "--memory",
        metavar="MB",
        type=_amount(1024 * 1024, 1, 1024 * 1024),
        help="memory limit in megabytes (default: 128)",
    )
    return parser


def _amount(unit: int, least: float, most: float) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text} is no number from {least:g} to {most:g}")
        return round(number * unit)

    return read


def _program(options: argparse.Namespace) -> tuple[Program, dict[str, str]]:
    """Return the program and the path of each module; raises Refused for wrong arguments."""
    limits = Limits()
    if options.timeout:
        limits = dataclasses.replace(limits, cpu_ms=options.timeout, wall_ms=options.timeout)
    if options.memory:
        limits = dataclasses.replace(limits, memory_bytes=options.memory)
    modules: list[Module] = []
    paths: dict[str, str] = {}

    def add(name: str, path: str) -> None:
        modules.append(Module(name, _read(path), tuple(paths)))
        paths[name] = path

    for option in options.module:
        name, separator, path = option.partition("=")
        if not separator or not _NAME.fullmatch(name):
            raise Refused(f"--module {option}: give NAME=FILE, with an identifier as the name")
        if name in paths:
            raise Refused(f"--module {option}: there is a module {name} already")
        add(name, path)
    if [*paths.values(), options.file, options.test].count("-") > 1:
        raise Refused("standard input can be only one of the files")
    add(_free_name(options.file, paths), options.file)
    if options.test is None:
        return Program(tuple(modules), "script", modules[-1].name, limits), paths
    add(_free_name(options.test, paths), options.test)
    # A subject must define its own name, but FILE may define any: so the subject is a dummy.
    name = _free_name("Subject", paths)
    subject = Module(name, f"def {name}(): pass\n")
    return Program((subject, *modules), "test", name, limits), paths


def _free_name(path: str, taken: dict[str, str]) -> str:
    """Return a module name derived from the file's name that is valid and free."""
    stem = Path(path).stem
    name = stem if _NAME.fullmatch(stem) else "main"
    while name in taken:
        name += "_"
    return name


def _read(path: str) -> str:
    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise Refused(f"{path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Refused(f"{path} isn't UTF-8 text (see byte {error.start})") from None
    return as_module(text) if path.endswith(".js") else text


def _show_lines(lines: Sequence[LogLine]) -> None:
    for line in lines:
        print(line.text, file=sys.stdout if line.stream == "out" else sys.stderr, flush=True)


def _ignore(lines: Sequence[LogLine]) -> None:
    """Do nothing; the outcome has the lines too."""


def _show(outcome: Outcome, paths: dict[str, str]) -> None:
    report = [_with_message(f"{case.name}: {case.verdict}", case.message) for case in outcome.cases]
    if outcome.trace:
        frames = [
            (paths.get(name, name), line, function, text)
            for name, line, function, text in outcome.trace
        ]
        report.append("Traceback (most recent call last):")
        report += map(str.rstrip, traceback.format_list(frames))
    place = paths.get(outcome.module, outcome.module) if outcome.module else ""
    if place and outcome.line:
        place += f", line {outcome.line}"
    verdict = f"{outcome.verdict} ({place})" if place else outcome.verdict
    report.append(_with_message(verdict, outcome.message))
    used = f"{outcome.cpu_us / 1000:.1f} ms of CPU, {outcome.wall_us / 1000:.1f} ms in all"
    report.append(f"{used}, {outcome.peak_bytes / 1e6:.1f} MB")
    print("\n".join(report), file=sys.stderr)


def _with_message(text: str, message: str) -> str:
    return f"{text}: {message}" if message else text


def _as_json(outcome: Outcome) -> dict[str, object]:
    trace = [
        dict(zip(("module", "line", "function", "text"), frame, strict=True))
        for frame in outcome.trace
    ]
    content = dataclasses.asdict(outcome) | {"trace": trace}
    return {name: value for name, value in content.items() if name != "loaded"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
