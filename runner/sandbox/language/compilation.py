"""Compiles source text under the policy; returns code, or complaints with their places."""

from __future__ import annotations

import ast
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from runner.sandbox.javascript import syntax
from runner.sandbox.javascript.source import code_of, is_javascript
from runner.sandbox.language.pages import InvalidTemplate, compile_page
from runner.sandbox.language.policy import DEEPEST_NESTING, Policy, TooDeep
from runner.sandbox.programs import PAGE, Complaint

LONGEST_SOURCE_BYTES = 262_144
_FRAMES_PER_LEVEL = 8
# CPython compiles each `finally` block twice, so n nested ones take 2**n compilations.
_MOST_FINALLIES = 6
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
_OWN_SCOPE = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)

# The recursion limit and warning filters are global; concurrent compilations that change and
# restore them would leave them changed.
_one_at_a_time = threading.Lock()

# A module's code (JavaScript: as text), and the names that its top level only imports. It can be
# marshalled, and depends only on the module's name and source.
Compiled = tuple[CodeType | str, frozenset[str]]


class Uncompilable(Exception):
    """The source can't be compiled; `complaints` have the places and reasons."""

    def __init__(self, *found: Complaint) -> None:
        super().__init__(found[0].message)
        self.complaints = [*found]


@dataclass(frozen=True, slots=True)
class Check:
    """The complaints about a source in order, and whether a parsed source is empty."""

    complaints: list[Complaint]
    is_empty: bool


def check(source: str, *, name: str) -> Check:
    """Find all reasons why a source can't be run, without executing anything."""
    if is_javascript(source):
        return _check_javascript(source)
    policy, found = Policy(), []
    try:
        compile_module(source, name=name, policy=policy)
    except Uncompilable as refused:
        found = refused.complaints
    return Check(found, policy.is_empty)


def _check_javascript(source: str) -> Check:
    try:
        code, _ = compile_module(source, name="")
    except Uncompilable as refused:
        return Check(refused.complaints, is_empty=False)
    text = str(code)
    return Check(syntax.complaints(text), syntax.is_empty(text))


def complaints(source: str, *, name: str) -> list[Complaint]:
    """Return all reasons why a source can't be run, in order."""
    return check(source, name=name).complaints


def compile_module(source: str, *, name: str, policy: Policy | None = None) -> Compiled:
    """Compile a module; raises Uncompilable."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    _check_text(source)
    if is_javascript(source):
        return code_of(source), frozenset()
    limit = sys.getrecursionlimit()
    try:
        with _one_at_a_time, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return _compile(source, name, policy or Policy())
            finally:
                sys.setrecursionlimit(limit)
    except SyntaxError as error:
        raise _from_syntax_error(error) from None
    except (TooDeep, RecursionError, MemoryError) as deep:
        message = "nested too deeply; split the expression into several statements"
        raise _refused(message, getattr(deep, "line", 1)) from None
    except InvalidTemplate as invalid:
        raise _refused(invalid.message, invalid.line) from None
    except ValueError as error:
        raise _refused(str(error)) from None


def _compile(source: str, name: str, policy: Policy) -> Compiled:
    if source.startswith(PAGE):
        policy.is_empty = not source.removeprefix(PAGE).strip()
        return compile_page(source, name=name), frozenset()
    tree: Any = ast.parse(source, name)
    if source.count("finally") > _MOST_FINALLIES:
        _check_finallies(tree)
    imported = merely_imported(tree) if "import" in source else frozenset()
    sys.setrecursionlimit(sys.getrecursionlimit() + DEEPEST_NESTING * _FRAMES_PER_LEVEL)
    tree = policy.visit(tree)
    if policy.complaints:
        raise Uncompilable(*sorted(policy.complaints, key=lambda c: (c.line, c.column)))
    return compile(tree, name, "exec", dont_inherit=True), imported


def merely_imported(tree: ast.Module) -> frozenset[str]:
    """Return the names that the module's top level binds by imports only."""
    imported: set[str] = set()
    assigned: set[str] = set()
    for node in _top_level(tree):
        match node:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                imported.update(a.asname or a.name.partition(".")[0] for a in aliases)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                assigned.add(name)
            case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                assigned.add(name)
    return frozenset(imported - assigned)


def _top_level(tree: ast.Module) -> Iterator[ast.AST]:
    pending: list[ast.AST] = [*tree.body]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _OWN_SCOPE):
            pending.extend(ast.iter_child_nodes(node))


def _check_text(source: str) -> None:
    if len(source) > LONGEST_SOURCE_BYTES:
        longest = f"{LONGEST_SOURCE_BYTES // 1024} KiB"
        raise _refused(f"the source is longer than {longest}; split it into several functions")
    if found := _NO_CHARACTER.search(source):
        message = "half of a surrogate pair is no character; remove it"
        if found[0] == "\0":
            message = "a NUL character can't stand in source text; write \\0 in a string instead"
        before = source[: found.start()]
        raise _refused(message, before.count("\n") + 1, len(before) - before.rfind("\n"))


def _check_finallies(tree: ast.AST) -> None:
    # Each node with the number of `finally` blocks around it.
    pending: list[tuple[ast.AST, int]] = [(tree, 0)]
    while pending:
        node, finallies = pending.pop()
        last = node.finalbody if isinstance(node, ast.Try | ast.TryStar) else []
        if last and finallies == _MOST_FINALLIES:
            message = f"more than {_MOST_FINALLIES} `finally` blocks inside each other"
            raise _refused(f"{message}; use functions", last[0].lineno)
        pending += [(each, finallies + (each in last)) for each in ast.iter_child_nodes(node)]


def _refused(message: str, line: int = 1, column: int = 1) -> Uncompilable:
    return Uncompilable(Complaint(line, column, "syntax_error", message))


def _from_syntax_error(error: SyntaxError) -> Uncompilable:
    message = (error.msg or "invalid syntax").replace("(<unknown>, ", "(")
    if message == "invalid syntax":
        # Python's message says nothing more, so add the text at its place.
        start, end = (error.offset or 1) - 1, (error.end_offset or 0) - 1
        found = (error.text or "").rstrip("\n")[start : end if end > start else None].strip()
        message += f" at `{found[:40]}`" if found else ": the line ends too early"
    return _refused(message, error.lineno or 1, max(error.offset or 1, 1))
