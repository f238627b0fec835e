"""What two processes say to each other: messages, operations, and exceptions that may cross.

A request is `["?", number, operation, target, name, keywords, written, *values, line]`, an answer
`["=", number, *values, written]`, of an exception `["!", ...]` likewise, and `["-", ...]` where
something can't cross. `values` are items, heap, descriptions of classes, and releases. `written`
are containers that have changed, of the request that is answered, or in whose course this one is
asked: `[place, entry]` with an entry as in a heap. A request `["&", ...]` comes from within a
running event loop. While a thread waits for an answer it answers what is asked on its line, so
calls go back and forth.

Other messages are notices: `["threads"]`, `["closed", line]` and `["ready", line]` (an event loop
that is run from the other side has something to do).
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
    """What a request asks of an object."""

    CALL = "call"
    GET = "get"
    SET = "set"
    DELETE = "delete"
    SPECIAL = "special"  # a special method
    METHOD = "method"  # a method of a class whose objects cross by value; the first argument is one
    AWAIT = "await"  # start to await an object
    RESULT = "result"  # of an object that was awaited
    CANCEL = "cancel"  # awaiting it
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
# Of generators and coroutines, whose end is told by an exception as well.
_STEPS = frozenset({"send", "throw", "asend", "athrow"})
GENERATOR = _STEPS | {"close", "aclose"}
# These return what is to be awaited.
ASYNCHRONOUS = frozenset({"__anext__", "asend", "athrow", "aclose", "__aenter__", "__aexit__"})
# Of classes.
OF_CLASSES = frozenset({"__instancecheck__", "__subclasscheck__"})
# Of functions, what `inspect` asks for.
OF_FUNCTIONS = frozenset({"__code__", "__signature__"})
# Of any object, what `vars` and `copy` ask for, and `dataclasses`.
OF_OBJECTS = frozenset(
    f"__{name}__" for name in ("dict", "copy", "deepcopy", "dataclass_fields", "annotations")
)
SPECIAL = FORWARDED | COMPARISONS | ARITHMETIC | GENERATOR | OF_CLASSES
# Read like public names.
_READABLE = frozenset(
    f"__{name}__"
    for name in """
    name qualname doc module wrapped match_args required_keys optional_keys total dataclass_params
    """.split()
)
# Only in reply to one of these does the end of an iteration mean just that.
ITERATION = _STEPS | {"__next__", "__anext__"}
ENTERING = frozenset({"__enter__", "__aenter__"})
LEAVING = frozenset({"__exit__", "__aexit__"})
# These go on with a call that has returned: what was sent with it may change.
RESUMING = ITERATION | GENERATOR | ENTERING | LEAVING | {"__await__"}


def is_public(name: object) -> bool:
    """Tell whether an attribute of this name may be asked for."""
    return type(name) is str and (not name.startswith("_") or name in _READABLE)


# --- our own objects that the other process has been told of, by number ---------------------------

MOST_HANDLES = 200_000


class Handles:
    """Keeps what was sent by handle until the other side has released it."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # by identity
        # The object, and how often it was sent: a release may cross another sending.
        self._held: dict[int, list[Any]] = {}
        self._unused = itertools.count(1)
        self._lock = threading.RLock()  # an object that is forgotten may make calls

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
        """Return the object of a number that the other side gives; raises Malformed."""
        held = self._held.get(number) if type(number) is int else None
        if held is None:
            raise Malformed("a handle that nobody has given")
        return held[0]

    def release(self, number: Any, times: Any) -> None:
        """Forget an object that the other side has received so often, and uses no more."""
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


# An encoder begins anew for each value, unless that is a text, and takes longer than this.
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
    """Return what a request asks for, as a part of a message."""
    return _encode([operation, target, name, keywords])[1:-1]


class Gone(ConnectionError):
    """The other process has ended, or closed its end."""


class Broken(BaseException):
    """The other process has ended, or has sent what no honest process sends."""


class TooLong(ValueError):
    """A message of ours that is longer than any may be."""


class Channel:
    """One end of a socket pair; one thread may send while another receives."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._pending = b""

    def send(self, message: str, *more: str) -> None:
        """Send a message that is encoded; raises TooLong, and Gone where nobody receives."""
        # Halves of surrogate pairs are texts, too.
        body = message.encode("utf-8", "surrogatepass")
        for each in more:
            body += each.encode("utf-8", "surrogatepass")
        if (size := len(body)) > LONGEST_MESSAGE:
            raise TooLong(f"{size:,} bytes are more than the {LONGEST_MESSAGE:,} allowed")
        self._write(size.to_bytes(_HEADER, "little") + body)

    def send_values(self, head: str, values: Sequence[list[Any]], last: str | int) -> None:
        """Send items, heap, news and releases, between parts that are encoded; raises as `send`."""
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
        """Return the next message, of whatever shape; raises Malformed and Gone."""
        data = self._pending or self._read()
        if int.from_bytes(data[:_HEADER], "little") == len(data) - _HEADER:
            self._pending = b""  # as mostly: one message, and all of it
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


# --- exceptions, and which of them may leave a test early -----------------------------------------

# In a test they would end an iteration, a task or the test itself, and nobody would notice.
_ENDS_OF_ITERATION = (StopIteration, StopAsyncIteration)
_LEAVING = (
    *_ENDS_OF_ITERATION,
    GeneratorExit,
    KeyboardInterrupt,
    asyncio.CancelledError,
    unittest.SkipTest,
)


class EarlyExit(BaseException):
    """Raised in the judge for what would end a test early; no test expects it."""


class EarlyExitError(EarlyExit, Exception):
    """The same for what `except Exception` catches."""


def is_outcome(error: BaseException) -> bool:
    """Tell whether a test framework takes this exception for a test's outcome."""
    return any(each.__module__.split(".")[0] == "_pytest" for each in type(error).__mro__)


def without_leaving(error: BaseException, *, ends_iteration: bool) -> BaseException:
    """Return what the judge raises where the implementation raised this."""
    if ends_iteration and type(error) in _ENDS_OF_ITERATION:
        return error
    if isinstance(error, _LEAVING) or is_outcome(error):
        kind = EarlyExitError if isinstance(error, Exception) else EarlyExit
        return kind(f"the implementation raised {type(error).__name__}")
    return error


def is_failure(error: Any) -> bool:
    """Tell whether this is a failed check, or a group of exceptions with one in it."""
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
