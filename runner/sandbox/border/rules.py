"""What proxies do as special methods, and what a judge holds the other process to.

In the judge of a function, proxies are *strict*: none is equal to plain data, or calculates with
it, so that no object of an implementation passes for the value that a test expects.
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

# By these an object is looked at, and isn't changed.
_READING = COMPARISONS | {
    f"__{name}__" for name in "len iter reversed getitem contains bool hash repr str format".split()
}
# What special methods give, some of them later.
_OF_METHODS = frozenset({Operation.SPECIAL, Operation.AWAIT, Operation.RESULT})
_CHANGING = frozenset({Operation.SET, Operation.DELETE})
# These give the result of a function, or of a coroutine that one has returned.
_GIVING = frozenset({Operation.CALL, Operation.AWAIT, Operation.RESULT})


class Results:
    """Signatures and lengths of the other process's objects, by number: results must fit them."""

    def __init__(
        self,
        origin_of: Callable[[Any], Any],
        failures: list[BaseException],
        *,
        is_judge: bool,
    ) -> None:
        self._origin_of = origin_of
        self._failures = failures  # that count, whatever a test expects
        self._is_judge = is_judge
        self.is_begun = False  # the test; before it, names are fetched
        self.plain: dict[int, str] = {}  # of functions: what is said of their results
        # The lengths that were told, while nothing has been done that may change them.
        self._lengths: dict[int, int] = {}
        self._changes = 0  # how often something was done that may change objects
        self.sized: set[int] = set()  # whose length the test has asked for
        # How many items an object has given, and after how many changes.
        self._given: dict[int, tuple[int, int]] = {}

    def begin(self, operation: Operation, name: str) -> None:
        """Take note of what is about to be asked; raises AttributeError for what never may be."""
        if operation in _CHANGING and not is_public(name):
            raise AttributeError(f"{name} of an object in another process can't be changed")
        if operation is not Operation.SPECIAL or name not in _READING:
            self._lengths.clear()
            self._changes += name not in ITERATION

    def error_of(
        self, kind: str, error: BaseException, operation: Operation, name: str
    ) -> BaseException:
        """Return what to raise where the other side raised this, or has nothing that can cross."""
        if kind == "-":
            self._failures.append(error)
        # An attribute may have the name of such a method, and raise what ends an iteration.
        is_end = operation in _OF_METHODS and name in ITERATION
        return without_leaving(error, ends_iteration=is_end) if self._is_judge else error

    def check(
        self, operation: Operation, number: int, name: str, value: Any, *, is_plain: bool
    ) -> None:
        """Refuse what would do for a test in place of what it asks for.

        `is_plain`: nothing but plain data has arrived.
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
            # What gives more of it later.
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
        """Iterate over as many items as an object says that it has, before or afterwards."""
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


# --- exceptions that a context manager of the other process may keep from the test ----------------

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
def throwing(given: Sequence[Any], *, is_judge: bool) -> Iterator[None]:
    """Let what the test has raised go on, unless a generator that it is thrown into may end it.

    `contextlib` makes context managers of generators, and takes their end for a suppression.
    """
    # It is given the exception, or its class and perhaps the exception.
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
    """Tell whether the test has raised this itself, and it is no failed check.

    That is so of a statement `raise`, and of one that has nothing but literals and builtins in it.
    Else an implementation could end a block of the test before it has checked anything: by a value
    that makes an expression fail, or by an exception of its own.
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
    """Tell whether the statement on this line is alone there, and names nothing but builtins."""
    frame = place.tb_frame
    try:
        line = linecache.getline(frame.f_code.co_filename, place.tb_lineno)
        tree = ast.parse(line.strip())
    except SyntaxError:
        return False
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return used <= set(vars(builtins)) - {*frame.f_globals, *frame.f_locals}


# --- special methods of proxies -------------------------------------------------------------------

# Objects that are nothing but their attributes, by which the own side compares them.
_RECORDS = (SimpleNamespace, Namespace)


def _strict(name: str) -> Callable[..., Any]:
    """Let the own side compare or calculate with its own objects only."""

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
    # A traceback stays on its side.
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
    """Iterate over as many items as the object says that it has."""

    def iterate(self: Proxy) -> Any:
        origin = origin_of(self)
        results = origin.asker.results
        if origin.number in results.sized:
            origin.special("__len__")  # it may have changed
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
    "__ne__": object.__ne__,  # so that nothing is both
    "__contains__": _contains,
}


def special_method(name: str, *, is_strict: bool) -> Callable[..., Any]:
    """Return what proxies have in place of a special method."""
    return (is_strict and _STRICT.get(name)) or _METHODS.get(name) or forward(name)


def expect_plain(function: Any, said: str) -> None:
    """Refuse results of a function's that aren't plain data; `said` is the annotation.

    A class that is called as a function is one, too.
    """
    if is_proxy(function) or hasattr(function, "_class_origin"):
        origin = origin_of(function)
        origin.asker.results.plain[origin.number] = said
