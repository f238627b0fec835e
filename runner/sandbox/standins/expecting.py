"""Contexts of `unittest` in which something is to happen: assertRaises, assertWarns."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any, NoReturn, Self

from runner.sandbox import exhaustion
from runner.sandbox.standins import warning


def fail(case: Any, standard: str, msg: Any) -> NoReturn:
    if msg is not None:
        standard = f"{standard} : {msg}" if case.longMessage else msg
    raise case.failureException(standard)


class _Expecting:
    """A context in which something is to happen.

    What it learns is kept in a list, so that nobody can have it set attributes of other objects.
    """

    def __init__(self, case: Any, wanted: Any, pattern: Any, msg: Any) -> None:
        of = wanted if isinstance(wanted, tuple) else (wanted,)
        if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in of):
            raise TypeError("an exception type or tuple of exception types is wanted")
        self._case, self._wanted, self._msg = case, wanted, msg
        self._pattern: Any = re.compile(pattern) if isinstance(pattern, str) else pattern
        self._names = str(wanted) if wanted is of else wanted.__name__
        self._found: list[Any] = []

    def _check_text(self, text: str) -> None:
        if self._pattern is not None and not self._pattern.search(text):
            said = f'"{self._pattern.pattern}" does not match "{text}"'
            fail(self._case, said, self._msg)


class Raising(_Expecting):
    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, _traceback: Any, by: str = "") -> bool:
        if kind is None:
            fail(self._case, f"{self._names} not raised{by}", self._msg)
        if issubclass(kind, exhaustion.Exhausted) or not issubclass(kind, self._wanted):
            return False
        self._found.append(BaseException.with_traceback(error, None))
        self._check_text(str(error))
        return True

    @property
    def exception(self) -> BaseException:
        if not self._found:
            raise AttributeError("nothing has been raised yet")
        return self._found[-1]  # type: ignore[no-any-return]


class Warned(_Expecting):
    def __enter__(self) -> Self:
        stack = contextlib.ExitStack()
        records = stack.enter_context(warning.catch_warnings(record=True))
        warning.simplefilter("always")
        self._found += [stack, records]
        return self

    def __exit__(self, kind: Any, _error: Any, _traceback: Any, by: str = "") -> None:
        stack, records, *_ = self._found
        stack.close()
        if kind is not None:
            return
        told = [each for each in records if issubclass(each.category, self._wanted)]
        if not told:
            fail(self._case, f"{self._names} not triggered{by}", self._msg)
        self._found.append(told[0])
        self._check_text(str(told[0].message))

    @property
    def warning(self) -> Any:
        return self._found[-1].message

    @property
    def warnings(self) -> list[Any]:
        return list(self._found[1])


def within(context: Any, call: Callable[..., Any] | None, given: Any, named: Any) -> Any:
    """The context, or nothing if there is something to call in it."""
    if call is None:
        return context
    by = f" by {getattr(call, '__name__', call)}"
    context.__enter__()
    try:
        call(*given, **named)
    except BaseException as error:
        exhaustion.caught()
        if not context.__exit__(type(error), error, None):
            raise
    else:
        context.__exit__(None, None, None, by)
    return None
