"""Stand-ins for what tells about a program: traceback, timeit, inspect."""

from __future__ import annotations

import inspect
import itertools
import linecache
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from runner.sandbox.guards import MARK, Forbidden, guard_getattr, offered_dir
from runner.sandbox.standins import running, streams

# --- traceback: frames of user code only --------------------------------------------------------


def _stack(of: Any, limit: int | None) -> traceback.StackSummary:
    for name, source in running.sources.items():
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    frames = []
    while of is not None:
        if MARK in of.tb_frame.f_globals:
            frames.append((of.tb_frame, of.tb_lineno, of))
        of = of.tb_next
    if limit is not None:
        frames = frames[:limit] if limit >= 0 else frames[limit:]
    return traceback.StackSummary._extract_from_extended_frame_gen(  # type: ignore[attr-defined,no-any-return]
        ((frame, _positions(frame, of)) for frame, _, of in frames), capture_locals=False
    )


def _positions(frame: Any, of: Any) -> tuple[Any, ...]:
    positions = itertools.islice(frame.f_code.co_positions(), of.tb_lasti // 2, None)
    line, *rest = next(positions, (None, None, None, None))
    return (line or of.tb_lineno, *rest)


def _explained(error: BaseException, limit: int | None, chain: bool) -> Any:
    made = traceback.TracebackException(type(error), error, None)
    pending: list[tuple[Any, BaseException | None]] = [(made, error)]
    while pending:
        shown, of = pending.pop()
        if shown is None or of is None:
            continue
        shown.stack = _stack(of.__traceback__, limit)
        if chain:
            pending += [(shown.__cause__, of.__cause__), (shown.__context__, of.__context__)]
        if shown.exceptions is not None and isinstance(of, BaseExceptionGroup):
            pending += zip(shown.exceptions, of.exceptions, strict=False)
    return made


def _error_of(exc: Any, value: Any) -> BaseException | None:
    error = exc if isinstance(exc, BaseException) or value is None else value
    return error if isinstance(error, BaseException) else None


def format_exception(
    exc: Any,
    /,
    value: Any = None,
    tb: Any = None,  # noqa: ARG001
    limit: int | None = None,
    chain: bool = True,
) -> list[str]:
    error = _error_of(exc, value)
    if error is None:
        return ["NoneType: None\n"]
    return [*_explained(error, limit, chain).format(chain=chain)]


def format_exception_only(exc: Any, /, value: Any = None) -> list[str]:
    error = _error_of(exc, value)
    if error is None:
        return ["NoneType: None\n"]
    return [*traceback.TracebackException(type(error), error, None).format_exception_only()]


def format_exc(limit: int | None = None, chain: bool = True) -> str:
    return "".join(format_exception(sys.exception(), limit=limit, chain=chain))


def _print_lines(lines: Iterable[str], file: Any) -> None:
    target = streams.standard.stderr if file is None else file
    streams.offered_print("".join(lines), end="", file=target)


def print_exception(
    exc: Any,
    /,
    value: Any = None,
    tb: Any = None,
    limit: int | None = None,
    file: Any = None,
    chain: bool = True,
) -> None:
    _print_lines(format_exception(exc, value, tb, limit, chain), file)


def print_exc(limit: int | None = None, file: Any = None, chain: bool = True) -> None:
    _print_lines(format_exc(limit, chain), file)


def extract_tb(tb: Any, limit: int | None = None) -> traceback.StackSummary:
    return _stack(tb, limit)


def format_tb(tb: Any, limit: int | None = None) -> list[str]:
    return _stack(tb, limit).format()


def print_tb(tb: Any, limit: int | None = None, file: Any = None) -> None:
    _print_lines(format_tb(tb, limit), file)


TRACEBACK: dict[str, Any] = {
    function.__name__: function
    for function in (
        format_exc,
        print_exc,
        format_exception,
        print_exception,
        format_exception_only,
        format_tb,
        print_tb,
        extract_tb,
    )
}

# --- timeit: of functions; text isn't run -----------------------------------------------------


class Timer:
    """timeit.Timer for a function."""

    def __init__(
        self, stmt: Any = None, setup: Any = None, timer: Callable[[], float] = time.perf_counter
    ) -> None:
        if not callable(stmt) or not (setup is None or setup == "pass" or callable(setup)):
            raise Forbidden("text isn't run as code here; give timeit a function")
        self._function, self._setup, self._clock = stmt, setup, timer

    def timeit(self, number: int = 1_000_000) -> float:
        if callable(self._setup):
            self._setup()
        function, clock = self._function, self._clock
        began = clock()
        for _ in itertools.repeat(None, number):
            function()
        return clock() - began

    def repeat(self, repeat: int = 5, number: int = 1_000_000) -> list[float]:
        return [self.timeit(number) for _ in range(repeat)]

    def autorange(self) -> tuple[int, float]:
        number = 1
        while (took := self.timeit(number)) < 0.2:
            number *= 2
        return number, took


def timeit(stmt: Any, setup: Any = None, *, number: int = 1_000_000, **_globals: Any) -> float:
    return Timer(stmt, setup).timeit(number)


def repeat(
    stmt: Any, setup: Any = None, *, repeat: int = 5, number: int = 1_000_000, **_globals: Any
) -> list[float]:
    return Timer(stmt, setup).repeat(repeat, number)


TIMEIT: dict[str, Any] = {
    "default_timer": time.perf_counter,
    "Timer": Timer,
    "timeit": timeit,
    "repeat": repeat,
}

# --- inspect ------------------------------------------------------------------------------------


def signature(callable: Any, *, follow_wrapped: bool = True, **_evaluation: Any) -> Any:
    """inspect.signature, annotations as they are."""
    return inspect.Signature.from_callable(callable, follow_wrapped=follow_wrapped)


def getmembers(thing: Any, predicate: Any = None) -> list[tuple[str, Any]]:
    """inspect.getmembers of what user code could read one by one."""
    found = []
    for name in sorted(offered_dir(thing)):
        try:
            value = guard_getattr(thing, name)
        except AttributeError:
            continue
        if predicate is None or predicate(value):
            found.append((name, value))
    return found


INSPECT: dict[str, Any] = {
    "signature": signature,
    "getfullargspec": inspect.getfullargspec,
    "getmembers": getmembers,
    "getdoc": inspect.getdoc,
    "getmro": lambda cls: tuple(cls.mro()),
}
