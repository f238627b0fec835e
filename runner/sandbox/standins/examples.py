"""Examples in docstrings: where they stand in a module's text, and whether what came is right.

They are read from the text, not from `__doc__`, which can be changed: what runs is what its author
has written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

FLAGS = {
    name: 1 << place
    for place, name in enumerate(
        "DONT_ACCEPT_TRUE_FOR_1 DONT_ACCEPT_BLANKLINE NORMALIZE_WHITESPACE ELLIPSIS SKIP "
        "IGNORE_EXCEPTION_DETAIL REPORT_UDIFF REPORT_CDIFF REPORT_NDIFF "
        "REPORT_ONLY_FIRST_FAILURE FAIL_FAST".split()
    )
}

_DIRECTIVE = re.compile(r"#\s*doctest:\s*([^\n'\"]*)$", re.MULTILINE)
_TRACEBACK = re.compile(r"Traceback \((?:most recent call last|innermost last)\):\s*$")


@dataclass(frozen=True, slots=True)
class Example:
    """One `>>>` with what should come of it; `error` if that is the last lines of a traceback."""

    source: str
    wanted: str
    error: str | None
    line: int
    flags: int


def docstrings(source: str, module: str) -> list[tuple[str, str, int]]:
    """The title, text and line of each docstring, by title; not of what is inside functions."""
    found: list[tuple[str, str, int]] = []
    pending: list[tuple[str, Any]] = [(module, ast.parse(source))]
    while pending:
        title, node = pending.pop()
        if text := ast.get_docstring(node, clean=False):
            found.append((title, text, node.body[0].lineno))
        if not isinstance(node, ast.Module | ast.ClassDef):
            continue
        pending += [(f"{title}.{inner.name}", inner) for inner in _definitions(node.body)]
    return sorted(found)


def _definitions(body: list[Any]) -> Iterator[Any]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _definitions(node.body)
            yield from _definitions(getattr(node, "orelse", []))


def examples_in(text: str, line: int, flags: int) -> Iterator[Example]:
    """The examples of a docstring that begins on a line."""
    lines = text.expandtabs().split("\n")
    at = 0
    while at < len(lines):
        begins = at
        indent = len(lines[at]) - len(lines[at].lstrip())
        if not _is_prompt(lines[at], indent, ">>>"):
            at += 1
            continue
        source = [lines[at][indent + 4 :]]
        at += 1
        while at < len(lines) and _is_prompt(lines[at], indent, "..."):
            source.append(lines[at][indent + 4 :])
            at += 1
        wanted = []
        while at < len(lines) and lines[at].strip() and not _is_prompt(lines[at], indent, ">>>"):
            if lines[at][:indent].strip():
                where = f"line {at + 1} of the docstring"
                raise ValueError(f"{where} has inconsistent leading whitespace: {lines[at]!r}")
            wanted.append(lines[at][indent:])
            at += 1
        code = "\n".join(source)
        yield Example(
            code,
            "".join(f"{each}\n" for each in wanted),
            _error_in(wanted),
            line + begins,
            _flagged(code, flags),
        )


def _is_prompt(line: str, indent: int, prompt: str) -> bool:
    rest = line[indent:]
    is_there = rest.startswith(f"{prompt} ") or rest.rstrip() == prompt
    return is_there and not line[:indent].strip()


def _error_in(wanted: list[str]) -> str | None:
    """What stands behind the frames of a traceback."""
    if not wanted or not _TRACEBACK.match(wanted[0]):
        return None
    for at, line in enumerate(wanted[1:], start=1):
        if line[:1].isidentifier():
            return "".join(f"{each}\n" for each in wanted[at:])
    return None


def _flagged(code: str, flags: int) -> int:
    for found in _DIRECTIVE.finditer(code):
        for option in found[1].replace(",", " ").split():
            flag = FLAGS.get(option[1:])
            if flag is None or option[0] not in "+-":
                raise ValueError(f"there is no doctest option {option!r}")
            flags = flags | flag if option[0] == "+" else flags & ~flag
    return flags


def is_right(wanted: str, got: str, flags: int) -> bool:
    """Whether what came is what was wanted, as far as the flags care."""
    if wanted == got:
        return True
    if not flags & FLAGS["DONT_ACCEPT_TRUE_FOR_1"] and (got, wanted) in _ALIKE:
        return True
    if not flags & FLAGS["DONT_ACCEPT_BLANKLINE"]:
        wanted = re.sub(r"(?m)^<BLANKLINE>[ ]*$", "", wanted)
        got = re.sub(r"(?m)^[ ]+$", "", got)
    if flags & FLAGS["NORMALIZE_WHITESPACE"]:
        wanted, got = " ".join(wanted.split()), " ".join(got.split())
    return wanted == got or bool(flags & FLAGS["ELLIPSIS"] and _fits(wanted, got))


_ALIKE = {("True\n", "1\n"), ("False\n", "0\n")}


def _fits(wanted: str, got: str) -> bool:
    """Whether the pieces between the ellipses stand in it, in this order, without overlapping."""
    first, *middle = wanted.split("...")
    if not middle:
        return False
    last = middle.pop()
    if not (got.startswith(first) and got.endswith(last)):
        return False
    at, end = len(first), len(got) - len(last)
    for piece in middle:
        at = got.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return at <= end


def is_right_error(wanted: str, got: str, flags: int) -> bool:
    """The same of an exception's last lines."""
    if is_right(wanted, got, flags):
        return True
    if not flags & FLAGS["IGNORE_EXCEPTION_DETAIL"]:
        return False
    return _kind_of(wanted) == _kind_of(got)


def _kind_of(error: str) -> str:
    return error.partition("\n")[0].partition(":")[0].rpartition(".")[2]
