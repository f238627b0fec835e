"""Special methods of proxies, and rules that a judge enforces on the other process.

In the judge of a function, proxies are *strict*: they can't be compared or calculated with plain
data, so that no object of an implementation passes for the value that a test expects.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import linecache
import opcode
import os
import sysconfig
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace, TracebackType
from typing import Any

from runner.sandbox.border.protocol import (
    ARITHMETIC,
    ASYNCHRONOUS,
    COMPARISONS,
    ITERATION,
    Operation,
    is_failure,
    is_outcome,
    is_public,
    without_leaving,
)
from runner.sandbox.border.proxies import Proxy, call, forward, is_proxy, origin_of
from runner.sandbox.border.states import catches_failures, unpromised

# Special methods that don't change an object.
_READING = COMPARISONS | {
    f"__{name}__" for name in "len iter reversed getitem contains bool hash repr str format".split()
}
# The operations that return the result of a special method, some of them later.
_OF_METHODS = frozenset({Operation.SPECIAL, Operation.AWAIT, Operation.RESULT})
_CHANGING = frozenset({Operation.SET, Operation.DELETE})
# The operations that return the result of a function, or of its coroutine.
_GIVING = frozenset({Operation.CALL, Operation.AWAIT, Operation.RESULT})


class Results:
    """Checks results of the other process against signatures and lengths that it has given."""

    def __init__(
        self,
        origin_of: Callable[[Any], Any],
        failures: list[BaseException],
        *,
        is_judge: bool,
    ) -> None:
        self._origin_of = origin_of
        self._failures = failures  # these count even if the test expects them
        self._is_judge = is_judge
        self.is_begun = False  # whether the test has begun; before, names are fetched
        self.plain: dict[int, str] = {}  # annotations of results, by number of the function
        # The lengths reported since the last operation that may have changed them, by number.
        self._lengths: dict[int, int] = {}
        self._changes = 0  # number of operations that may have changed objects
        self.sized: set[int] = set()  # objects whose length the test has requested
        # By number: how many items an object has given, and `_changes` at that time.
        self._given: dict[int, tuple[int, int]] = {}

    def begin(self, operation: Operation, name: str) -> None:
        """Register an operation before its request; raises AttributeError if it is not allowed."""
        if operation in _CHANGING and not is_public(name):
            raise AttributeError(f"{name} of an object in another process can't be changed")
        if operation is not Operation.SPECIAL or name not in _READING:
            self._lengths.clear()
            self._changes += name not in ITERATION

    def error_of(
        self, kind: str, error: BaseException, operation: Operation, name: str
    ) -> BaseException:
        """Return the exception to raise here for one that the other side has sent."""
        if kind == "-":
            self._failures.append(error)
        # Only for methods: an attribute of such a name could raise StopIteration too.
        is_end = operation in _OF_METHODS and name in ITERATION
        return without_leaving(error, ends_iteration=is_end) if self._is_judge else error

    def check(
        self, operation: Operation, number: int, name: str, value: Any, *, is_plain: bool
    ) -> None:
        """Raise TypeError for results that could deceive a test.

        `is_plain`: only plain data has arrived.
        """
        if not self._is_judge:
            return
        if not is_plain:
            try:
                self._check_parts(operation, number, name, value)
            except TypeError as error:
                self._failures.append(error)
                raise
        if name == "__len__" and type(value) is int:
            self._take_length(number, value)

    def _check_parts(self, operation: Operation, number: int, name: str, value: Any) -> None:
        if number in self.plain and operation in _GIVING:
            said = self.plain[number]
            result = value[0] if operation is not Operation.CALL and type(value) is tuple else value
            if (found := unpromised(result)) is not None:
                what = "an object" if found is result else "something with an object in it,"
                kind = found.__name__ if isinstance(found, type) else type(found).__name__
                raise TypeError(f"returned {what} of {kind}, where its signature says {said}")
            # A function or coroutine in the result, whose own results must be plain too.
            later = value.default_factory if type(value) is defaultdict else value
            origin = self._origin_of(later) or getattr(later, "_class_origin", None)
            if origin is not None:
                self.plain[origin.number] = said
        if self.is_begun and catches_failures(value):
            what = name or "what was returned"
            raise TypeError(f"{what} is a builtin exception that catches failed checks, too")

    def _take_length(self, number: int, said: int) -> None:
        before = self._lengths.get(number, said)
        count, changes = self._given.get(number, (said, 0))
        if said != before:
            raise TypeError(f"an object said that it has {before} items, and then {said}")
        if said > count and changes == self._changes:
            raise _contradiction(said, count)
        self._lengths[number] = said
        self.sized.add(number)

    def counted(self, items: Any, number: int) -> Iterator[Any]:
        """Iterate over items; raises TypeError if their number contradicts the object's length."""
        said = self._lengths.get(number)
        end, count, changes = object(), 0, self._changes
        while (each := next(items, end)) is not end:
            count += 1
            if said is not None and count > said and changes == self._changes:
                break
            yield each
        if changes == self._changes:
            if said is not None and count != said:
                raise _contradiction(said, count)
            self._given[number] = count, changes


def _contradiction(said: int, count: int) -> TypeError:
    return TypeError(f"an object said that it has {said} items, and gave {count or 'none'}")


# --- exceptions that a context manager of the other process may suppress --------------------------

_RAISE = opcode.opmap["RAISE_VARARGS"]
# Code in these places raises exceptions because of the values it is given.
_LIBRARIES = (
    "<",
    *{sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")},
    os.path.dirname(os.path.dirname(__file__)),  # noqa: PTH120
)


@contextlib.contextmanager
def failing(error: Any, *, is_judge: bool) -> Iterator[None]:
    """Suppress exceptions that would replace a check that has failed in the judge."""
    try:
        yield
    except BaseException:
        if not is_judge or not is_failure(error):
            raise


@contextlib.contextmanager
def throwing(given: Sequence[Any], *, is_judge: bool) -> Iterator[None]:
    """Raise the test's exception again after the block, unless a generator may suppress it.

    `contextlib` makes context managers of generators, and takes their end for a suppression.
    """
    # The arguments are the exception, or its class and perhaps the exception.
    error = next((each for each in given[1::-1] if each is not None), None)
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
    raise error  # type: ignore[misc]


def may_suppress(error: Any) -> bool:
    """Return whether an implementation may suppress it: the test has raised it on purpose.

    That is so for a `raise` statement, and for a statement of literals and builtins only, but not
    for a failed check. Otherwise an implementation could end a block of the test before it has
    checked anything, by a value that makes an expression fail, or by an exception of its own.
    """
    if error is None:
        return True
    place: TracebackType | None = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None or is_failure(error) or is_outcome(error):
        return False
    code = place.tb_frame.f_code
    if code.co_filename.startswith(_LIBRARIES):
        return False
    return code.co_code[place.tb_lasti] == _RAISE or _is_of_literals(place)


def _is_of_literals(place: TracebackType) -> bool:
    """Return whether this line is a complete statement that uses only builtins and literals."""
    frame = place.tb_frame
    try:
        line = linecache.getline(frame.f_code.co_filename, place.tb_lineno)
        tree = ast.parse(line.strip())
    except SyntaxError:
        return False
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return used <= set(vars(builtins)) - {*frame.f_globals, *frame.f_locals}


# --- special methods of proxies -------------------------------------------------------------------

# Types whose objects are compared by their attributes.
_RECORDS = (SimpleNamespace, Namespace)


def _strict(name: str) -> Callable[..., Any]:
    """Return a method that compares or calculates with objects of the same process only."""

    def compare(self: Proxy, *args: Any) -> Any:
        origin = origin_of(self)
        if all(is_proxy(other) and origin_of(other).asker is origin.asker for other in args):
            return origin.special(name, *args)
        if origin.asker.mediator and len(args) == 1 and is_proxy(args[0]):
            compared = origin.asker.mediator.compare(name, self, args[0])
            if compared is not NotImplemented:
                return compared
        if name == "__eq__":
            other = args[0]
            is_record = type(other) in _RECORDS and self.__class__ is type(other)
            return is_record and vars(self) == vars(other)
        message = (
            f"{type(self).__name__} is a class of the implementation's; its objects can't be "
            "compared or calculated with, as plain data can"
        )
        raise TypeError(message)

    return compare


def _contains(self: Any, sought: Any) -> bool:
    return any(each is sought or each == sought for each in self)


def _awaiting(name: str) -> Callable[..., Any]:
    return lambda self, *args: origin_of(self).awaiting(name, args, self)


def _await(self: Proxy) -> Any:
    return origin_of(self).awaiting("__await__", (), self).__await__()


def _exit(self: Proxy, kind: Any, error: Any, _: Any) -> bool:
    # Tracebacks don't cross.
    origin, wanted = origin_of(self), False
    with failing(error, is_judge=origin.asker.is_judge):
        wanted = bool(origin.special("__exit__", kind, error, None))
    return wanted and (not origin.asker.is_judge or may_suppress(error))


async def _aexit(self: Proxy, kind: Any, error: Any, _: Any) -> bool:
    origin, wanted = origin_of(self), False
    with failing(error, is_judge=origin.asker.is_judge):
        wanted = bool(await origin.awaiting("__aexit__", (kind, error, None), self))
    return wanted and (not origin.asker.is_judge or may_suppress(error))


def counted(name: str) -> Callable[[Proxy], Any]:
    """Return a method that iterates and checks the number of items against the length."""

    def iterate(self: Proxy) -> Any:
        origin = origin_of(self)
        results = origin.asker.results
        if origin.number in results.sized:
            origin.special("__len__")  # the length may have changed
        return results.counted(origin.special(name), origin.number)

    return iterate


def _throw(self: Proxy, *given: Any) -> Any:
    origin = origin_of(self)
    with throwing(given, is_judge=origin.asker.is_judge):
        return origin.special("throw", *given)


async def _athrow(self: Proxy, *given: Any) -> Any:
    origin = origin_of(self)
    with throwing(given, is_judge=origin.asker.is_judge):
        return await origin.awaiting("athrow", given, self)


_METHODS: dict[str, Callable[..., Any]] = {
    **{name: _awaiting(name) for name in ASYNCHRONOUS},
    "__call__": call,
    "__await__": _await,
    "__exit__": _exit,
    "__aexit__": _aexit,
    "throw": _throw,
    "athrow": _athrow,
}
_STRICT: dict[str, Callable[..., Any]] = {
    **{name: _strict(name) for name in COMPARISONS | ARITHMETIC},
    "__ne__": object.__ne__,  # the inverse of `__eq__`
    "__contains__": _contains,
}


def special_method(name: str, *, is_strict: bool) -> Callable[..., Any]:
    """Return the implementation of a special method for proxies."""
    return (is_strict and _STRICT.get(name)) or _METHODS.get(name) or forward(name)


def expect_plain(function: Any, said: str) -> None:
    """Refuse results of a function or class that aren't plain data; `said` is the annotation."""
    if is_proxy(function) or hasattr(function, "_class_origin"):
        origin = origin_of(function)
        origin.asker.results.plain[origin.number] = said
