"""Reproduces a test's global state in the other processes of its run.

A test may redirect output, change warning filters, handle logs, seed random numbers, replace
functions such as `input` and `time.sleep`, and change settings such as `os.environ`. In a single
process, these would affect the implementation. So before each call, the judge sends what has
changed to the other processes, which apply the same changes.
"""

from __future__ import annotations

import contextlib
import decimal
import importlib
import io
import logging
import os
import random
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

_STREAMS = ("stdout", "stderr")
_FILTERS, _SHOW = "warnings.filters", "warnings.showwarning"
_REPLACEABLE = ("builtins.input", "builtins.print", "sys.argv", "sys.stdin")
_MODULES = ("random", "secrets", "time", "uuid")
_ABOUT_LOGS = re.compile(r"\b(logging|assertLogs|assertNoLogs|caplog)\b")
# Matches the source of tests that replace functions or change settings.
_REPLACING = re.compile(
    r"\b(patch|monkeypatch|setattr|environ|putenv|setrecursionlimit|decimal)\b"
    rf"|\b({'|'.join(('builtins', 'sys', *_MODULES))})\.\w+ *=[^=]"
)
_PLAIN = frozenset((str, int, float, bool, type(None)))
_OF_CONTEXTS = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")


def _set_environment(content: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(content)


def _decimal_context() -> list[Any]:
    context = decimal.getcontext()
    traps = [signal.__name__ for signal, is_set in context.traps.items() if is_set]
    return [*(getattr(context, name) for name in _OF_CONTEXTS), traps]


def _set_decimal_context(content: list[Any]) -> None:
    *parts, traps = content
    signals = [getattr(decimal, name) for name in traps]
    given = dict(zip(_OF_CONTEXTS, parts, strict=True))
    decimal.setcontext(decimal.Context(**given, traps=signals))


def _set_recursion_limit(limit: int) -> None:
    sys.setrecursionlimit(limit)  # which is replaced when a program begins


# For each setting, functions that return it as plain data and that set it.
_SETTINGS: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
    "environment": (lambda: {**os.environ}, _set_environment),
    "recursion limit": (sys.getrecursionlimit, _set_recursion_limit),
    "decimal context": (_decimal_context, _set_decimal_context),
}


# --- in the judge ---------------------------------------------------------------------------------


class Leader:
    """The judge's side: sends the test's global state; called before each request."""

    def __init__(self, test: str) -> None:
        self._parts: list[Callable[[str], Any]] = []
        self._met: list[Any] = []
        self._is_telling = False
        self._is_about_logs = _ABOUT_LOGS.search(test) is not None
        self._is_replacing = _REPLACING.search(test) is not None
        random.seed = self._seed
        names = [*(f"sys.{name}" for name in _STREAMS), _FILTERS]
        if self._is_replacing:
            names += [*_REPLACEABLE, *_functions()]
        # Name, home dict, key, and the value when the test began.
        self._own = [(name, home, key, home[key]) for name in names for home, key in [_find(name)]]
        self._settings = {name: read() for name, (read, _) in _SETTINGS.items()}
        self._told: dict[str, Any] = {}

    def lead(self, part: Callable[[str], Any]) -> None:
        """Include this process from now on; its part "follower" is its `Follower`."""
        self._parts.append(part)
        if self._is_about_logs:
            part("follower").follow_logs(_emit)

    @property
    def _followers(self) -> list[Any]:
        # Fetched on demand, because most tests need none.
        if len(self._met) < len(self._parts):
            self._met = [part("follower") for part in self._parts]
        return self._met

    def __call__(self) -> None:
        """Send the state if it has changed since the last call."""
        if self._is_telling:
            return
        found = self._find_replaced()
        if not found and not self._told:
            return
        if found.keys() == self._told.keys() and all(
            _is_same(thing, self._told[name]) for name, thing in found.items()
        ):
            return
        self._told = found
        self._is_telling = True
        try:
            for follower in self._followers:
                follower.follow(found)
        finally:
            self._is_telling = False

    def _find_replaced(self) -> dict[str, Any]:
        """Return the names whose value differs from that at the beginning, in the form to send."""
        found: dict[str, Any] = {
            name: now for name, home, key, own in self._own if (now := home.get(key)) is not own
        }
        if found:
            found |= {name: write for name, write in _WRITERS.items() if name in found}
            if _FILTERS in found:
                found |= {_FILTERS: [*found[_FILTERS]], _SHOW: _show}
        if self._is_replacing:
            read = {name: read() for name, (read, _) in _SETTINGS.items()}
            found |= {name: now for name, now in read.items() if now != self._settings[name]}
        return found

    def _seed(self, a: Any = None, version: int = 2) -> None:
        _seed(a, version)
        for follower in self._followers:
            follower.seed(a, version)


_seed = random.seed


def _find(name: str) -> tuple[dict[str, Any], str]:
    module, _, key = name.rpartition(".")
    return vars(importlib.import_module(module)), key


def _functions() -> list[str]:
    return [
        f"{module}.{name}"
        for module in _MODULES
        for name, thing in vars(importlib.import_module(module)).items()
        if callable(thing) and not isinstance(thing, type) and name[:1] != "_"
    ]


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (
        type(one) is type(other) and type(one) in (dict, list, int) and one == other
    )


def _writer(name: str) -> Callable[[str], None]:
    def write(text: str) -> None:
        if type(text) is str:
            getattr(sys, name).write(text)

    return write


_WRITERS = {f"sys.{name}": _writer(name) for name in _STREAMS}


def _show(message: Any, category: Any, filename: str, line: int, *_: Any) -> None:
    warnings.showwarning(message, category, filename, line)


def _emit(attributes: dict[str, Any]) -> None:
    """Pass a log record of another process to the test's handlers."""
    error = attributes.pop("exc_info", None)
    record = logging.makeLogRecord(attributes)
    if isinstance(error, BaseException):
        record.exc_info = (type(error), error, error.__traceback__)
    logger = logging.getLogger(record.name)
    if logger.isEnabledFor(record.levelno):
        logger.handle(record)


# --- in the others --------------------------------------------------------------------------------


class Follower:
    """The other processes' side: applies the judge's state; called by the judge."""

    def __init__(self) -> None:
        self._own: dict[str, Any] = {}

    def follow(self, found: dict[str, Any]) -> None:
        """Apply these replacements and settings, and undo all others."""
        for name in self._own.keys() - found.keys():
            _put(name, self._own.pop(name))
        for name, thing in found.items():
            before = _put(name, _Forwarding(thing) if name in _WRITERS else thing)
            self._own.setdefault(name, before)

    def follow_logs(self, emit: Callable[[dict[str, Any]], None]) -> None:
        """Pass all log records to the judge, whose levels and handlers decide about them."""
        logging.getLogger().addHandler(_Handing(emit))
        logging.getLogger().setLevel(logging.NOTSET)

    def seed(self, a: Any, version: int) -> None:
        """Seed the random numbers, as the test has."""
        random.seed(a, version)


def _put(name: str, thing: Any) -> Any:
    """Set the value of this name; return the former one."""
    if name in _SETTINGS:
        read, set_to = _SETTINGS[name]
        before = read()
        set_to(thing)
        return before
    home, key = _find(name)
    before = home[key]
    if name == _FILTERS:
        before = [*before]
        warnings.resetwarnings()
        warnings.filters.extend(thing)  # type: ignore[attr-defined]
    else:
        if name in _WRITERS:
            before.flush()
        home[key] = thing
    return before


class _Forwarding(io.TextIOBase):
    """A stream that writes to one of the judge's."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._write(text)
        return len(text)


class _Handing(logging.Handler):
    """Passes log records to the judge."""

    def __init__(self, emit: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._emit = emit

    def emit(self, record: logging.LogRecord) -> None:
        attributes = {n: v for n, v in vars(record).items() if type(v) in _PLAIN}
        attributes |= {"msg": record.getMessage(), "args": ()}
        if record.exc_info:
            attributes["exc_text"] = logging.Formatter().formatException(record.exc_info)
            attributes["exc_info"] = record.exc_info[1]
        with contextlib.suppress(TypeError):
            self._emit(attributes)
