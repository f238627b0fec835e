"""Which exceptions an implementation's context manager may keep from the test."""

from __future__ import annotations

import ast
import builtins
import contextlib
import linecache
import opcode
import os
import sysconfig
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from runner.sandbox.border.errors import is_failure, is_outcome

_RAISE = opcode.opmap["RAISE_VARARGS"]
# Code of these may raise whatever the values that it is given lead to.
_LIBRARIES = (
    "<",
    *{sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")},
    os.path.dirname(os.path.dirname(__file__)),  # noqa: PTH120
)


@contextlib.contextmanager
def failing(error: Any, *, is_judge: bool) -> Iterator[None]:
    """Let a check that has failed in the judge fail, whatever is raised instead of it."""
    try:
        yield
    except BaseException:
        if not is_judge or not is_failure(error):
            raise


@contextlib.contextmanager
def throwing(error: Any, *, is_judge: bool) -> Iterator[None]:
    """Let what the test has raised go on, unless a generator that it is thrown into may end it.

    `contextlib` makes context managers of generators, and takes their end for a suppression.
    """
    has_raised = isinstance(error, BaseException) and error.__traceback__ is not None
    is_kept = is_judge and has_raised and not may_suppress(error)
    try:
        yield
    except (StopIteration, StopAsyncIteration):
        if not is_kept:
            raise
    except BaseException:
        if not is_kept or not is_failure(error):
            raise
    else:
        if not is_kept or not is_failure(error):
            return
    raise error


def may_suppress(error: Any) -> bool:
    """Tell whether the test has raised this itself, and it is no failed check.

    That is so of a statement `raise`, and of one that has nothing but literals and builtins in it.
    Else an implementation could end a block of the test before it has checked anything: by a value
    that makes an expression fail, or by an exception of its own.
    """
    if error is None:
        return True
    innermost = _innermost(error.__traceback__)
    if innermost is None or is_failure(error) or is_outcome(error):
        return False
    code = innermost.tb_frame.f_code
    if code.co_filename.startswith(_LIBRARIES):
        return False
    return code.co_code[innermost.tb_lasti] == _RAISE or _is_of_literals(innermost)


def _innermost(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback


def _is_of_literals(place: TracebackType) -> bool:
    """Tell whether the statement on this line is alone there, and names nothing but builtins."""
    frame, line = place.tb_frame, place.tb_lineno
    text = linecache.getline(frame.f_code.co_filename, line).strip()
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known = set(vars(builtins)) - {*frame.f_globals, *frame.f_locals}
    return used <= known
