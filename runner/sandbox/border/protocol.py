"""The protocol between two processes: messages, operations, and exceptions that may cross.

A request is `["?", number, operation, target, name, keywords, written, *values, line]`, or
`["&", ...]` from within a running event loop. An answer is `["=", number, *values, written]`, or
`["!", ...]` with an exception, or `["-", ...]` if the result can't cross. `values` are items, heap,
descriptions of classes, and releases. `written` are changed containers of the request that is
answered, or in whose course this request is sent: `[place, entry]` with an entry as in a heap.
While a thread waits for an answer, it answers requests on its line, so that calls can be nested.

Other messages are notices: `["threads"]`, `["closed", line]`, `["ready", line]` (a guest event loop
has something to do), and `["renew", ...]` (objects have changed before a context manager is left).
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
import math
import os
import threading
import unittest
from collections.abc import Callable, Sequence
from enum import StrEnum
from types import NoneType
from typing import Any

from runner.sandbox.border.plain import Malformed

# --- operations, special methods and public names -------------------------------------------------


class Operation(StrEnum):
    """The operation that a request asks for."""

    CALL = "call"
    GET = "get"
    SET = "set"
    DELETE = "delete"
    SPECIAL = "special"  # a special method
    METHOD = "method"  # of a class whose objects cross by value; the first argument is the object
    AWAIT = "await"  # start to await an object
    RESULT = "result"  # the result of a task
    CANCEL = "cancel"  # cancel a task
    RUN = "run"  # a step of the event loop


OF_LOOPS = frozenset({Operation.AWAIT, Operation.RESULT, Operation.CANCEL, Operation.RUN})
COMPARISONS = frozenset(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge"))
_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor".split()
ARITHMETIC = frozenset(f"__{prefix}{name}__" for name in _BINARY for prefix in ("", "r", "i"))
FORWARDED = frozenset(
    f"__{name}__"
    for name in """
    len bool iter next reversed getitem setitem delitem contains call enter exit aenter aexit
    repr str format bytes hash int float complex index round trunc floor ceil abs neg pos invert
    await aiter anext length_hint fspath dir get set delete set_name
    """.split()
)
# Methods of generators and coroutines, whose end raises an exception.
_STEPS = frozenset({"send", "throw", "asend", "athrow"})
GENERATOR = _STEPS | {"close", "aclose"}
# These return awaitables.
ASYNCHRONOUS = frozenset({"__anext__", "asend", "athrow", "aclose", "__aenter__", "__aexit__"})
# Special methods of classes.
OF_CLASSES = frozenset({"__instancecheck__", "__subclasscheck__"})
# Attributes of functions for `inspect`.
OF_FUNCTIONS = frozenset({"__code__", "__signature__"})
# Attributes of objects for `vars`, `copy` and `dataclasses`.
OF_OBJECTS = frozenset(
    f"__{name}__" for name in ("dict", "copy", "deepcopy", "dataclass_fields", "annotations")
)
SPECIAL = FORWARDED | COMPARISONS | ARITHMETIC | GENERATOR | OF_CLASSES
# Special names that may be read like public ones.
_READABLE = frozenset(
    f"__{name}__"
    for name in """
    name qualname doc module wrapped match_args required_keys optional_keys total dataclass_params
    """.split()
)
# Only these may raise StopIteration or StopAsyncIteration to end an iteration.
ITERATION = _STEPS | {"__next__", "__anext__"}
ENTERING = frozenset({"__enter__", "__aenter__"})
LEAVING = frozenset({"__exit__", "__aexit__"})
# These resume a call that has returned, and so may change the objects that were sent with it.
RESUMING = ITERATION | GENERATOR | ENTERING | LEAVING | {"__await__"}


def is_public(name: object) -> bool:
    """Return whether an attribute of this name may be requested."""
    return type(name) is str and (not name.startswith("_") or name in _READABLE)


# --- handles: this process's objects that were sent by number -------------------------------------

MOST_HANDLES = 200_000


class Handles:
    """Keeps objects that were sent by handle until the other side has released them."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # by identity
        # By number: [object, times sent]. Counted, because a release may cross another sending.
        self._held: dict[int, list[Any]] = {}
        self._unused = itertools.count(1)
        self._lock = threading.RLock()  # reentrant, because a finaliser may make calls

    def send(self, thing: object) -> int:
        """Return the number of an object that is about to be sent."""
        with self._lock:
            number = self._numbers.get(id(thing))
            if number is None:
                if len(self._held) >= MOST_HANDLES:
                    what = f"more than {MOST_HANDLES:,} objects"
                    raise RecursionError(f"{what} are in use by another process")
                number = self._numbers[id(thing)] = next(self._unused)
                self._held[number] = [thing, 0]
            self._held[number][1] += 1
            return number

    def find(self, number: object) -> Any:
        """Return the object of a number received from the other side; raises Malformed."""
        held = self._held.get(number) if type(number) is int else None
        if held is None:
            raise Malformed("a handle that nobody has given")
        return held[0]

    def release(self, number: Any, times: Any) -> None:
        """Release an object that the other side has received this many times; raises Malformed."""
        with self._lock:
            held = self._held.get(number) if type(number) is type(times) is int else None
            if held is None or not 0 < times <= held[1]:
                raise Malformed("a release of what isn't held")
            held[1] -= times
            if not held[1]:
                del self._held[number], self._numbers[id(held[0])]


# --- messages over a stream socket: a length, then JSON -------------------------------------------

LONGEST_MESSAGE = 1 << 24  # bytes
_HEADER = 4  # bytes
_PIECE = 1 << 16

_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
_decode = json.JSONDecoder().raw_decode


def _encode_item(item: Any) -> str:
    return _ENCODERS.get(type(item), _encode)(item)


def _encode_items(items: list[Any]) -> str:
    return f"[{','.join([_encode_item(each) for each in items])}]"


# Encoders by type: json's encoder takes longer, because it is set up for each value except texts.
_ENCODERS: dict[type, Callable[[Any], str]] = {
    NoneType: lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: int.__repr__,
    float: lambda value: float.__repr__(value) if math.isfinite(value) else _encode(value),
    str: _encode,
    list: _encode_items,
}


def encode(parts: Any) -> str:
    """Return a message, or a part of one, as JSON."""
    return "[]" if parts == [] else _encode(parts)


@functools.lru_cache(1_000)
def encode_asked(operation: str, target: int, name: str, keywords: tuple[str, ...]) -> str:
    """Return the part of a request with operation, target, name and keywords, as JSON."""
    return _encode([operation, target, name, keywords])[1:-1]


class Gone(ConnectionError):
    """The other process has ended, or closed its end."""


class Broken(BaseException):
    """The border is broken: the other process has ended or violated the protocol."""


class TooLong(ValueError):
    """A message to be sent exceeds LONGEST_MESSAGE."""


class Channel:
    """One end of a socket pair; one thread may send while another receives."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._pending = b""

    def send(self, message: str, *more: str) -> None:
        """Send the parts of an encoded message; raises TooLong, and Gone if the other has ended."""
        # `surrogatepass`, because texts may contain lone surrogates.
        body = message.encode("utf-8", "surrogatepass")
        for each in more:
            body += each.encode("utf-8", "surrogatepass")
        if (size := len(body)) > LONGEST_MESSAGE:
            raise TooLong(f"{size:,} bytes are more than the {LONGEST_MESSAGE:,} allowed")
        self._write(size.to_bytes(_HEADER, "little") + body)

    def send_values(self, head: str, values: Sequence[list[Any]], last: str | int) -> None:
        """Send items, heap, news and releases, between encoded parts; raises as `send`."""
        items, heap, news, released = values
        begin = f"[{head},{_encode_items(items)},"
        end = f",{encode(news)},{encode(released)},{last}]"
        if heap:
            self.send(begin, encode(heap), end)
        else:
            self.send(f"{begin}[]{end}")

    def _write(self, data: bytes) -> None:
        try:
            sent = os.write(self.descriptor, data)
            while sent < len(data):
                sent += os.write(self.descriptor, memoryview(data)[sent:])
        except OSError:
            raise Gone("the other process has ended") from None

    def receive(self) -> Any:
        """Return the next message, decoded but not validated; raises Malformed and Gone."""
        data = self._pending or self._read()
        if int.from_bytes(data[:_HEADER], "little") == len(data) - _HEADER:
            self._pending = b""  # the usual case: exactly one message
            body = data[_HEADER:]
        else:
            self._pending = data
            length = int.from_bytes(self._take(_HEADER), "little")
            if length > LONGEST_MESSAGE:
                raise Malformed("a message that is too long")
            body = self._take(length)
        try:
            text = body.decode("utf-8", "surrogatepass")
            message, end = _decode(text)
        except (ValueError, RecursionError):
            raise Malformed("a message that is no JSON") from None
        if end != len(text):
            raise Malformed("a message with something behind it")
        return message

    def _take(self, size: int) -> bytes:
        pieces, many = [self._pending], len(self._pending)
        while many < size:
            pieces.append(self._read())
            many += len(pieces[-1])
        data = b"".join(pieces)
        self._pending = data[size:]
        return data[:size]

    def _read(self) -> bytes:
        try:
            data = os.read(self.descriptor, _PIECE)
        except OSError:
            data = b""
        if not data:
            raise Gone("the other process has ended")
        return data


# --- exceptions that would end a test early -------------------------------------------------------

# In a test they would silently end an iteration, a task or the test itself.
_ENDS_OF_ITERATION = (StopIteration, StopAsyncIteration)
_LEAVING = (
    *_ENDS_OF_ITERATION,
    GeneratorExit,
    KeyboardInterrupt,
    asyncio.CancelledError,
    unittest.SkipTest,
)


class EarlyExit(BaseException):
    """Raised in the judge instead of an exception that would end a test early."""


class EarlyExitError(EarlyExit, Exception):
    """The same instead of an exception that `except Exception` would catch."""


def is_outcome(error: BaseException) -> bool:
    """Return whether this is an exception of pytest, which it takes for a test's outcome."""
    return any(each.__module__.split(".")[0] == "_pytest" for each in type(error).__mro__)


def without_leaving(error: BaseException, *, ends_iteration: bool) -> BaseException:
    """Return the exception for the judge to raise if the implementation has raised this one."""
    if ends_iteration and type(error) in _ENDS_OF_ITERATION:
        return error
    if isinstance(error, _LEAVING) or is_outcome(error):
        kind = EarlyExitError if isinstance(error, Exception) else EarlyExit
        return kind(f"the implementation raised {type(error).__name__}")
    return error


def is_failure(error: Any) -> bool:
    """Return whether this is a failed check, or a group of exceptions that contains one."""
    pending = [error]
    while pending:
        each = pending.pop()
        if isinstance(each, BaseExceptionGroup):
            pending += each.exceptions
        elif isinstance(each, AssertionError) or (
            type(each).__name__ == "Failed" and is_outcome(each)
        ):
            return True
    return False
