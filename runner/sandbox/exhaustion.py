"""Memory that has run out: no handler of user code gets past it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any


class Exhausted(BaseException):
    """The program caught the end of its memory, and is ended by this."""


_ran_out = False


def has_run_out() -> bool:
    """Whether user code has caught the end of its memory, whatever it did then."""
    return _ran_out


def caught() -> None:
    """Called first in every handler that may have caught it."""
    if heed(sys.exception()):
        raise Exhausted from None


def heed(error: Any) -> bool:
    """Whether it tells of that; then nothing that the library does with it is of any use."""
    global _ran_out  # noqa: PLW0603
    told = isinstance(error, BaseException) and _tells_it(error)
    _ran_out = _ran_out or told
    return told


def heeding(function: Callable[..., Any]) -> Callable[..., Any]:
    """For a caller that goes on whatever the function raises."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except BaseException as error:
            heed(error)
            raise

    return call


def unraisable(what: Any) -> None:
    """In place of `sys.unraisablehook`: what finalizers and callbacks raise goes nowhere."""
    heed(what.exc_value)
    sys.__unraisablehook__(what)


def _tells_it(error: BaseException) -> bool:
    kind = type(error)
    if kind is MemoryError:
        # The interpreter's own comes without a word; one that user code raised has what to say.
        return not error.args
    if issubclass(kind, BaseExceptionGroup):
        return any(_tells_it(part) for part in error.exceptions)  # type: ignore[attr-defined]
    return kind is Exhausted
