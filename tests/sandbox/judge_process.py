"""Runs tests as a judge does, without a jail: each in a fork of a warm process of its own.

The implementation runs beside the test, or apart from it, across a border.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

from runner.sandbox.border.peer import Peer
from runner.sandbox.border.protocol import Channel
from runner.sandbox.language.assertions import rewrite_assert
from runner.sandbox.language.compilation import merely_imported
from runner.sandbox.process.cases import preload, result_of_cases
from runner.sandbox.report.explanation import asserting
from runner.sandbox.report.results import (
    Result,
    border_trace_of,
    result_of,
    result_of_exception,
    result_of_exit,
)

MOST_BYTES = 1 << 30
LONGEST_SECONDS = 10
BORDER_MODULES = frozenset({"json", "math", "decimal", "asyncio", "unittest.case"})


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a run."""

    verdict: str
    message: str
    module: str | None
    line: int | None
    trace: list[tuple[str, int, str, str]]
    cases: list[tuple[str, str, str, int | None]]
    out: str


class Judge:
    """A warm process that judges one test after the other."""

    def __init__(self, running: subprocess.Popen[str]) -> None:
        self._running = running

    def __call__(self, source: str, test: str = "", *, how: str = "beside") -> Judged:
        """Judge an implementation of F `beside` its test, or `apart`; or run a `script`."""
        asked, answered = self._running.stdin, self._running.stdout
        assert asked is not None
        assert answered is not None
        print(json.dumps([source, test, how]), file=asked, flush=True)
        told = json.loads(answered.readline())
        for name in ("trace", "cases"):
            told[name] = [tuple(each) for each in told[name]]
        told.pop("value")
        return Judged(**told)


@contextlib.contextmanager
def judging() -> Iterator[Judge]:
    """Give a judge."""
    command = [sys.executable, "-m", __name__]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as running:
        try:
            yield Judge(running)
        finally:
            running.kill()


# --- in that process ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    source: str

    def explain(self, name: str) -> str | None:
        return "`twice` is defined by both A and B" if name == "twice" else None


class _Subject(Peer):
    """An end of the border that tells where its exceptions come from."""

    sources: dict[str, _Source]

    def _reply(self, line: Any, answer: Any, snapshots: Any) -> Any:
        kind, _, value = answer
        if kind == "!":
            vars(value)["border_trace"] = border_trace_of(value, self.sources)
        return super()._reply(line, answer, snapshots)


class _Rewrite(ast.NodeTransformer):
    _in_class = False

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return rewrite_assert(node, in_class=self._in_class)

    def _visit_scope(self, node: ast.AST) -> ast.AST:
        before, self._in_class = self._in_class, isinstance(node, ast.ClassDef)
        self.generic_visit(node)
        self._in_class = before
        return node

    visit_ClassDef = visit_FunctionDef = visit_AsyncFunctionDef = _visit_scope


def check(condition: Any, message: Any = "") -> None:
    """The helper of this name."""
    if not condition:
        raise AssertionError(str(message) if message != "" else "check failed")


def _execute(name: str, source: str, bound: dict[str, Any]) -> dict[str, Any]:
    """Execute a module, and return the names that it defines itself."""
    module = sys.modules[name] = sys.modules["__main__"] = ModuleType(name)
    names = vars(module)
    names |= {"check": check, "log": print, **asserting(source), **bound}
    known = dict(names)
    tree: Any = ast.parse(source)
    imported = merely_imported(tree)
    code = compile(
        ast.fix_missing_locations(_Rewrite().visit(tree)), name, "exec", dont_inherit=True
    )
    exec(code, names)  # noqa: S102
    return {
        key: thing
        for key, thing in names.items()
        if key[:2] != "__" and key not in imported and known.get(key, names) is not thing
    }


def _public(own: dict[str, Any]) -> dict[str, Any]:
    taken = {"check", "log", *vars(builtins)}
    return {name: thing for name, thing in own.items() if name[0] != "_" and name not in taken}


@contextlib.contextmanager
def _implementation(source: str, sources: dict[str, _Source], how: str) -> Iterator[dict[str, Any]]:
    if how != "apart":
        yield _public(_execute("F", source, {}))
        return
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        ours.close()
        with contextlib.suppress(BaseException):
            subject = _Subject(Channel(theirs.fileno()), modules=BORDER_MODULES)
            subject.sources = sources
            subject.offer(_public(_execute("F", source, {})))
            subject.serve()
        os._exit(0)
    theirs.close()
    peer = Peer(Channel(ours.fileno()), modules=BORDER_MODULES, is_judge=True, is_strict=True)
    yield peer.fetch(1)
    ours.close()
    os.waitpid(child, 0)


def _deny_files(event: str, _: tuple[Any, ...]) -> None:
    # As a jail does, in which all that is needed has been imported.
    if event in ("open", "os.listdir", "os.scandir", "os.mkdir"):
        raise PermissionError(f"{event} is denied")


def _deny(*_: Any, **__: Any) -> NoReturn:
    raise PermissionError("the system isn't asked for files")


def _judge(source: str, test: str, how: str) -> Result:
    sources = {"F": _Source("F", source), "test": _Source("test", test)}
    cases: list[tuple[Any, ...]] = []
    out = io.StringIO()
    sys.argv = ["test"]
    result: Result | None
    try:
        with contextlib.redirect_stdout(out), _implementation(source, sources, how) as bound:
            own = _execute("test", test, bound)
            result = result_of_cases(
                "test",
                own,
                lambda error: result_of_exception(error, sources),
                lambda *told: cases.append(told),
            )
    except BaseException as error:  # noqa: BLE001
        is_exit = how == "script" and isinstance(error, SystemExit)
        result = (result_of_exit if is_exit else result_of_exception)(error, sources)
    return (result or result_of("passed")) | {"cases": cases, "out": out.getvalue()}


def main() -> None:
    import doctest  # noqa: F401, PLC0415 - what programs import before there are no files
    import unittest.mock  # noqa: F401, PLC0415

    preload()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    for line in sys.stdin:
        child = os.fork()
        if not child:
            signal.alarm(LONGEST_SECONDS)
            sys.addaudithook(_deny_files)
            for name in ("getcwd", "stat", "lstat", "chdir"):
                setattr(os, name, _deny)
            told = json.dumps(_judge(*json.loads(line)))
            print(told, flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(json.dumps(result_of("crashed") | {"cases": [], "out": ""}), flush=True)


if __name__ == "__main__":
    main()
