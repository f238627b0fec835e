"""Memory that has run out: no handler of user code gets past it."""

from __future__ import annotations

import sys


class Exhausted(BaseException):
    """The program caught the end of its memory, and is ended by this."""


_ran_out = False


def has_run_out() -> bool:
    """Whether user code has caught the end of its memory, whatever it did then."""
    return _ran_out


def caught() -> None:
    """Called first in every handler that may have caught it."""
    global _ran_out  # noqa: PLW0603
    error = sys.exception()
    if error is not None and _tells_it(error):
        _ran_out = True
        raise Exhausted from None


def start_anew() -> None:
    """Before a program runs."""
    global _ran_out  # noqa: PLW0603
    _ran_out = False


def _tells_it(error: BaseException) -> bool:
    kind = type(error)
    if kind is MemoryError:
        # The interpreter's own comes without a word; one that user code raised has what to say.
        return not error.args
    if issubclass(kind, BaseExceptionGroup):
        return any(_tells_it(part) for part in error.exceptions)  # type: ignore[attr-defined]
    return kind is Exhausted
