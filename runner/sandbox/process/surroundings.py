"""What a test's calls take along into other processes: output, warnings, log records and seeds.

In one process an implementation prints where its test has redirected output to, warns as the test
has asked, and logs to the test's handlers. Here the judge tells the others what of that has
changed, before a call, and they hand over what is printed, warned and logged.
"""

from __future__ import annotations

import contextlib
import io
import logging
import random
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from runner.sandbox.process.replacements import Replaced, Replacements

_ABOUT_LOGS = re.compile(r"\b(logging|assertLogs|assertNoLogs|caplog)\b")
_PLAIN = frozenset((str, int, float, bool, type(None)))
_STREAMS = ("stdout", "stderr")


# --- in the judge ---------------------------------------------------------------------------------


class Leader:
    """Tells other processes of the test's surroundings; it is called before each call there."""

    def __init__(self, test: str) -> None:
        self._parts: list[Callable[[str], Any]] = []
        self._met: list[Any] = []
        self._is_telling = False
        self._is_about_logs = _ABOUT_LOGS.search(test) is not None
        self._own = {name: getattr(sys, name) for name in _STREAMS}
        self._filters = warnings.filters
        self._told_streams: set[str] = set()
        self._told_filters: list[Any] | None = None
        random.seed = self._seed
        self._replacements = Replacements(test)

    def lead(self, part: Callable[[str], Any]) -> None:
        """Tell this process from now on; its part "follower" is a `Follower` there."""
        self._parts.append(part)
        if self._is_about_logs:
            part("follower").follow_logs(_emit)

    @property
    def _followers(self) -> list[Any]:
        # Most tests need none.
        if len(self._met) < len(self._parts):
            self._met = [part("follower") for part in self._parts]
        return self._met

    def __call__(self) -> None:
        """Tell what has changed since the last call."""
        own = self._own
        is_usual = sys.stdout is own["stdout"] and sys.stderr is own["stderr"]
        is_usual = is_usual and warnings.filters is self._filters
        has_told = self._told_streams or self._told_filters is not None
        if self._is_telling:
            return
        found = self._replacements.news()
        if is_usual and not has_told and found is None:
            return
        self._is_telling = True
        try:
            if found is not None:
                for follower in self._followers:
                    follower.follow_replacements(found)
            self._tell_streams()
            self._tell_filters()
        finally:
            self._is_telling = False

    def _tell_streams(self) -> None:
        for name in _STREAMS:
            is_redirected = getattr(sys, name) is not self._own[name]
            if is_redirected is (name not in self._told_streams):
                write = _writer(name) if is_redirected else None
                for follower in self._followers:
                    follower.follow_stream(name, write)
        self._told_streams = {n for n in _STREAMS if getattr(sys, n) is not self._own[n]}

    def _tell_filters(self) -> None:
        filters = None if warnings.filters is self._filters else [*warnings.filters]
        if filters != self._told_filters:
            self._told_filters = filters
            for follower in self._followers:
                follower.follow_warnings(filters, _show)

    def _seed(self, a: Any = None, version: int = 2) -> None:
        _seed(a, version)
        for follower in self._followers:
            follower.seed(a, version)


_seed = random.seed


def _writer(name: str) -> Callable[[str], None]:
    def write(text: str) -> None:
        if type(text) is str:
            getattr(sys, name).write(text)

    return write


def _show(message: Any, category: Any, filename: str, line: int) -> None:
    warnings.showwarning(message, category, filename, line)


def _emit(attributes: dict[str, Any]) -> None:
    """Have the test's handlers handle a record of another process."""
    error = attributes.pop("exc_info", None)
    record = logging.makeLogRecord(attributes)
    if isinstance(error, BaseException):
        record.exc_info = (type(error), error, error.__traceback__)
    logger = logging.getLogger(record.name)
    if logger.isEnabledFor(record.levelno):
        logger.handle(record)


# --- in the others --------------------------------------------------------------------------------


class Follower:
    """Does as the judge's surroundings are; the judge calls it."""

    def __init__(self) -> None:
        self._own = {name: getattr(sys, name) for name in _STREAMS}
        self._filters: list[Any] = [*warnings.filters]
        self._show = warnings.showwarning
        self._replaced = Replaced()

    def follow_stream(self, name: str, write: Callable[[str], None] | None) -> None:
        """Hand over what is printed to a stream of this name, or print it here again."""
        own = self._own[name]
        own.flush()
        setattr(sys, name, own if write is None else _Forwarding(write))

    def follow_warnings(
        self, filters: Sequence[Any] | None, show: Callable[[Any, Any, str, int], None]
    ) -> None:
        """Filter warnings so and hand them over, or do as before."""
        warnings.resetwarnings()
        warnings.filters.extend(self._filters if filters is None else filters)  # type: ignore[attr-defined]

        def hand_over(
            message: Any, category: Any, filename: str, lineno: int, *_: Any, **__: Any
        ) -> None:
            show(message, category, filename, lineno)

        warnings.showwarning = self._show if filters is None else hand_over

    def follow_logs(self, emit: Callable[[dict[str, Any]], None]) -> None:
        """Hand all log records over, which the judge's own levels and handlers see to."""
        logging.getLogger().addHandler(_Handing(emit))
        logging.getLogger().setLevel(logging.NOTSET)

    def follow_replacements(self, found: dict[str, Any]) -> None:
        """Put in place what the test has put in place, and nothing else."""
        self._replaced.follow(found)

    def seed(self, a: Any, version: int) -> None:
        """Begin random numbers anew."""
        random.seed(a, version)


class _Forwarding(io.TextIOBase):
    """A stream of the judge's."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._write(text)
        return len(text)


class _Handing(logging.Handler):
    """Hands records over to the judge."""

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
