"""Source text to code under the policy, or to complaints with their places."""

from __future__ import annotations

import ast
import sys
import threading
import warnings
from dataclasses import dataclass
from types import CodeType
from typing import Any

from runner.sandbox.language.namespace import merely_imported
from runner.sandbox.language.policy import DEEPEST_NESTING, Policy, TooDeep
from runner.sandbox.programs import Complaint

LONGEST_SOURCE_BYTES = 262_144
_FRAMES_PER_LEVEL = 8
# CPython compiles each such block twice, so those inside each other 2 to the power of their number.
_MOST_FINALLIES = 6

# The recursion limit and the warnings' filters are the interpreter's, not the thread's: two
# compilations that change and restore them at once would leave them changed.
_one_at_a_time = threading.Lock()


# A module's code, and the names that its top level merely imports. It can be marshalled, and
# depends on nothing but the module's name and source.
Compiled = tuple[CodeType, frozenset[str]]


class Uncompilable(Exception):
    """The source was refused; `complaints` say where and why."""

    def __init__(self, found: list[Complaint]) -> None:
        super().__init__(found[0].message)
        self.complaints = found


@dataclass(frozen=True, slots=True)
class Check:
    """What is wrong with a source, by place; of one that can be parsed, whether it is empty."""

    complaints: list[Complaint]
    is_empty: bool = False


def check(source: str, *, name: str) -> Check:
    """Find everything that keeps a source from being run; executes nothing."""
    policy = _Noting()
    try:
        _compiled(source, name, policy)
    except Uncompilable as refused:
        return Check(refused.complaints, policy.is_empty)
    return Check([], policy.is_empty)


def complaints(source: str, *, name: str) -> list[Complaint]:
    """Everything that keeps a source from being run, by place."""
    return check(source, name=name).complaints


class _Noting(Policy):
    """The policy, which notes whether there is anything at all."""

    is_empty = False

    def visit(self, node: Any) -> ast.AST:
        self.is_empty = not node.body
        return super().visit(node)


def compile_module(source: str, *, name: str) -> Compiled:
    """All that running a module needs of its source; raises Uncompilable."""
    return _compiled(source, name, Policy())


def _compiled(source: str, name: str, policy: Policy) -> Compiled:
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    _check_text(source)
    try:
        with _one_at_a_time, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _compile(source, name, policy)
    except SyntaxError as error:
        raise Uncompilable([_from_syntax_error(error)]) from None
    except TooDeep as deep:
        raise Uncompilable([_too_deep(deep.line)]) from None
    except (RecursionError, MemoryError):
        raise Uncompilable([_too_deep(1)]) from None
    except ValueError as error:
        raise Uncompilable([Complaint(1, 1, "syntax_error", str(error))]) from None


def _compile(source: str, name: str, policy: Policy) -> Compiled:
    tree: Any = ast.parse(source, name)
    if source.count("finally") > _MOST_FINALLIES:
        _check_finallies(tree)
    imported = merely_imported(tree) if "import" in source else frozenset()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + DEEPEST_NESTING * _FRAMES_PER_LEVEL)
    try:
        tree = policy.visit(tree)
        if policy.complaints:
            raise Uncompilable(sorted(policy.complaints, key=lambda c: (c.line, c.column)))
        return compile(tree, name, "exec", dont_inherit=True), imported
    finally:
        sys.setrecursionlimit(limit)


def _check_text(source: str) -> None:
    if len(source) > LONGEST_SOURCE_BYTES:
        longest = f"{LONGEST_SOURCE_BYTES // 1024} KiB"
        message = f"the source is longer than {longest}; split it into several functions"
        raise Uncompilable([Complaint(1, 1, "syntax_error", message)])
    for line, text in enumerate(source.split("\n"), start=1):
        for column, character in enumerate(text, start=1) if not text.isascii() else ():
            if "\ud800" <= character <= "\udfff":
                message = "half of a surrogate pair is no character; remove it"
                raise Uncompilable([Complaint(line, column, "syntax_error", message)])
        if "\0" in text:
            column = text.index("\0") + 1
            message = "a NUL character can't stand in source text; write \\0 in a string instead"
            raise Uncompilable([Complaint(line, column, "syntax_error", message)])


def _check_finallies(tree: ast.AST) -> None:
    # Each node with the number of `finally` blocks around it.
    pending: list[tuple[ast.AST, int]] = [(tree, 0)]
    while pending:
        node, finallies = pending.pop()
        last = node.finalbody if isinstance(node, ast.Try | ast.TryStar) else []
        if last and finallies == _MOST_FINALLIES:
            message = f"more than {_MOST_FINALLIES} `finally` blocks inside each other"
            place = Complaint(last[0].lineno, 1, "syntax_error", f"{message}; use functions")
            raise Uncompilable([place])
        pending += [(each, finallies + (each in last)) for each in ast.iter_child_nodes(node)]


def _too_deep(line: int) -> Complaint:
    message = "nested too deeply; split the expression into several statements"
    return Complaint(line, 1, "syntax_error", message)


def _from_syntax_error(error: SyntaxError) -> Complaint:
    message = (error.msg or "invalid syntax").replace("(<unknown>, ", "(")
    if message == "invalid syntax":
        # Python has no better idea, but what it stumbled over is a help.
        start, end = (error.offset or 1) - 1, (error.end_offset or 0) - 1
        found = (error.text or "").rstrip("\n")[start : end if end > start else None].strip()
        message += f" at `{found[:40]}`" if found else ": the line ends too early"
    return Complaint(error.lineno or 1, max(error.offset or 1, 1), "syntax_error", message)
