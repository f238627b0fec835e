"""`warnings` of our own: the original's recorder gives its module away, and with it the system."""

from __future__ import annotations

import re
from typing import Any

from runner.sandbox.standins import streams

_ACTIONS = ("default", "error", "ignore", "always", "module", "once")
# Action, pattern of the message, category; the first that fits counts.
_Filter = tuple[str, re.Pattern[str] | None, type[Warning]]
_HIDDEN: list[_Filter] = [
    ("ignore", None, PendingDeprecationWarning),
    ("ignore", None, ImportWarning),
    ("ignore", None, ResourceWarning),
]


class _State:
    """Of warnings: filters, what was shown, and who records."""

    def __init__(self) -> None:
        self.filters: list[_Filter] = list(_HIDDEN)
        self.shown: set[tuple[str, type]] = set()
        self.records: list[Any] | None = None


_state = _State()


class WarningMessage:
    """warnings.WarningMessage."""

    def __init__(self, message: Warning, category: type[Warning]) -> None:
        self.message = message
        self.category = category
        self.filename = "program"
        self.lineno = 0

    def __str__(self) -> str:
        return f"{self.category.__name__}: {self.message}"


def warn(
    message: Any,
    category: type[Warning] | None = None,
    stacklevel: int = 1,  # noqa: ARG001
    source: Any = None,  # noqa: ARG001
) -> None:
    """warnings.warn into the log, or wherever stderr goes."""
    if isinstance(message, Warning):
        category = type(message)
    category = category or UserWarning
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError(f"category must be a Warning subclass, not '{type(category).__name__}'")
    warning = message if isinstance(message, Warning) else category(message)
    text = str(warning)
    action = next(
        (
            action
            for action, pattern, kind in _state.filters
            if issubclass(category, kind) and (pattern is None or pattern.match(text))
        ),
        "default",
    )
    if action == "error":
        raise warning
    key = (text, category)
    if action == "ignore" or (action != "always" and key in _state.shown):
        return
    _state.shown.add(key)
    found = WarningMessage(warning, category)
    if _state.records is not None:
        _state.records.append(found)
    else:
        streams.offered_print(found, file=streams.standard.stderr)


def filterwarnings(
    action: str,
    message: str = "",
    category: type[Warning] = Warning,
    module: str = "",  # noqa: ARG001
    lineno: int = 0,  # noqa: ARG001
    append: bool = False,
) -> None:
    if action not in _ACTIONS:
        raise ValueError(f"invalid action: {action!r}")
    made = (action, re.compile(message, re.IGNORECASE) if message else None, category)
    _state.filters.insert(len(_state.filters) if append else 0, made)
    _state.shown.clear()


def simplefilter(
    action: str, category: type[Warning] = Warning, lineno: int = 0, append: bool = False
) -> None:
    filterwarnings(action, category=category, lineno=lineno, append=append)


def resetwarnings() -> None:
    _state.filters.clear()


class catch_warnings:
    """warnings.catch_warnings; the original gives its module away."""

    def __init__(
        self,
        *,
        record: bool = False,
        action: str | None = None,
        category: type[Warning] = Warning,
        lineno: int = 0,
        append: bool = False,
    ) -> None:
        self._record = record
        self._filter = None if action is None else (action, category, lineno, append)

    def __enter__(self) -> list[Any] | None:
        self._saved = (list(_state.filters), set(_state.shown), _state.records)
        _state.shown.clear()
        if self._record:
            _state.records = []
        if self._filter:
            simplefilter(*self._filter)
        return _state.records if self._record else None

    def __exit__(self, *_error: object) -> None:
        _state.filters, _state.shown, _state.records = self._saved


WARNINGS: dict[str, Any] = {
    "warn": warn,
    "filterwarnings": filterwarnings,
    "simplefilter": simplefilter,
    "resetwarnings": resetwarnings,
    "catch_warnings": catch_warnings,
    "WarningMessage": WarningMessage,
}
