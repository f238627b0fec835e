"""Two real processes: what a test sees of an implementation in another one."""

from __future__ import annotations

import asyncio
import inspect
import json
import queue
import re
import socket
import unittest
from collections import deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from runner.sandbox.border.peer import DEEPEST, Peer
from runner.sandbox.border.protocol import Broken, Channel, EarlyExit, Operation, encode
from tests.sandbox.border_process import process

SOURCE = """
import asyncio, collections, enum, json, os, queue, types, typing, unittest

def Add(a, b=1, *more, c=0):
    return a + b + sum(more) + c

def Same(x): return x
def Sort(xs): xs.sort()
def Each(f, xs): return [f(x) for x in xs]
def Raise(error): raise error
def Fail(): assert False, "own"
def End(*_): raise StopIteration
def Kinds(x): return [type(each).__name__ for each in x]

def Change(kind, x):
    if kind == "then raise":
        x.append(4)
        raise KeyError("after")
    x["more"] = [x]

def Squares(n, log):
    for i in range(n):
        log.append(i)
        yield i * i
    return "done"

def Echo():
    said = None
    while True:
        said = yield said

class Stack:
    made = 0
    def __init__(self): self.items = []; Stack.made += 1
    def push(self, x): self.items.append(x); return self
    def top(self): return self.items[-1]
    def __len__(self): return len(self.items)
    def __iter__(self): return iter(self.items)
    def __contains__(self, x): return True
    def __eq__(self, other): return isinstance(other, Stack) and other.items == self.items
    def __add__(self, other): return 5
    def __lt__(self, other): return True
    @classmethod
    def of(cls, *xs):
        made = cls()
        made.items += xs
        return made

class Taller(Stack):
    pass

class Colour(enum.Enum):
    RED = 1
    BLUE = "b"
    def shout(self): return self.name + "!"

class Level(enum.IntEnum):
    LOW = 1

class Point(typing.NamedTuple):
    x: int
    y: int = 2
    @property
    def total(self): return self.x + self.y

class Bag(list):
    label = "bag"
    def total(self): return sum(self)
    def add(self, x): self.append(x)

class Queue(collections.deque):
    def peek(self): return self[0]

class Oops(ValueError):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code
        self._hidden = 1
    @property
    def twice(self): return 2 * self.code
    def __str__(self): return f"oops {self.code}"

class Stop(StopIteration): pass

class AlwaysEqual(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = int.__hash__

def Lie(): return AlwaysEqual(5)
def Failing(error): raise Oops("text", 7) from error
def Die(): os._exit(0)

def Swallow(f):
    try: f()
    except BaseException as error: return type(error).__name__

def Peek(thing, name): return getattr(thing, name)
def Poke(thing, name, value): setattr(thing, name, value)
def Deep(f, n): return f(n)
"""


@pytest.fixture(scope="module")
def subject() -> Iterator[dict[str, Any]]:
    with process(SOURCE) as (_, names):
        yield names


# --- plain data -----------------------------------------------------------------------------------


def test_functions_are_called_with_plain_data(subject: dict[str, Any]) -> None:
    add = subject["Add"]
    assert add(2, 3) == 5
    assert add(2, 3, 4, c=5) == 14
    assert add(a=1, b=1) == 2
    assert add.__name__ == "Add"
    with pytest.raises(TypeError, match="unsupported operand"):
        add(1, "x")
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        add()


def test_containers_are_changed_in_place(subject: dict[str, Any]) -> None:
    numbers = [3, 1, 2]
    subject["Sort"](numbers)
    assert numbers == [1, 2, 3]
    found: dict[str, Any] = {}
    subject["Change"]("", found)
    assert found["more"][0] is found
    with pytest.raises(KeyError, match="after"):
        subject["Change"]("then raise", numbers)
    assert numbers == [1, 2, 3, 4]
    inner = deque([1], 3)
    holder = [inner]
    subject["Each"](subject["Add"], [1])
    subject["Each"](lambda each: each.append(True), holder)
    assert holder[0] is inner
    assert [type(each) for each in inner] == [int, bool]


def test_what_is_returned_may_be_what_was_given(subject: dict[str, Any]) -> None:
    given = [1, [2]]
    assert subject["Same"](given) is given
    assert subject["Same"]((given, given))[0] is given
    function = lambda: 1  # noqa: E731
    assert subject["Same"](function) is function
    assert subject["Same"](SimpleNamespace) is SimpleNamespace
    assert subject["Same"](json) is json


# --- by value, in mirrored classes ----------------------------------------------------------------


def test_enumerations_are_mirrored(subject: dict[str, Any]) -> None:
    colour = subject["Colour"]
    assert subject["Same"](colour.RED) is colour.RED
    assert colour("b") is colour.BLUE
    assert [each.name for each in colour] == ["RED", "BLUE"]
    assert colour.RED.shout() == "RED!"
    assert subject["Level"].LOW == 1
    assert subject["Kinds"]([colour.RED, subject["Level"].LOW]) == ["Colour", "Level"]


def test_named_tuples_are_mirrored(subject: dict[str, Any]) -> None:
    point = subject["Point"](1)
    assert point == (1, 2)
    assert (point.x, point.y, point.total) == (1, 2, 3)
    assert point._replace(x=5) == (5, 2)
    assert isinstance(point, subject["Point"])
    assert isinstance(point, tuple)
    assert subject["Kinds"]([point]) == ["Point"]


def test_plain_subclasses_of_containers_are_mirrored(subject: dict[str, Any]) -> None:
    bag = subject["Bag"]([1, 2])
    assert bag == [1, 2]
    assert type(bag) is subject["Bag"]
    bag.append(3)
    assert bag.total() == 6
    bag.add(4)
    assert bag == [1, 2, 3, 4]
    subject["Each"](lambda each: each.append(5), [bag])
    assert bag == [1, 2, 3, 4, 5]
    queue = subject["Queue"]([1, 2])
    assert (queue.peek(), [*queue]) == (1, [1, 2])


# --- by handle ------------------------------------------------------------------------------------


def test_objects_are_seen_by_handle(subject: dict[str, Any]) -> None:
    stack = subject["Stack"]()
    assert stack.push(4) is stack
    assert stack.items == [4]
    assert (len(stack), [*stack], bool(stack)) == (1, [4], True)
    assert isinstance(stack, subject["Stack"])
    tall = subject["Taller"].of(1, 2)
    assert isinstance(tall, subject["Stack"])
    assert issubclass(subject["Taller"], subject["Stack"])
    assert not isinstance(stack, subject["Taller"])
    assert [each.__name__ for each in type(tall).__mro__] == ["Taller", "Stack", "object"]
    assert "Stack object" in repr(stack)
    stack.note = [1]
    assert stack.note == [1]
    del stack.note
    with pytest.raises(AttributeError, match="note"):
        _ = stack.note
    with pytest.raises(AttributeError, match="can't be read"):
        _ = stack._items
    with pytest.raises(TypeError, match="can't be subclassed here"):
        type("Mine", (subject["Stack"],), {})


def test_generators_go_on_where_they_were(subject: dict[str, Any]) -> None:
    log: list[int] = []
    squares = subject["Squares"](3, log)
    assert next(squares) == 0
    assert log == [0]
    assert [*squares] == [1, 4]
    assert log == [0, 1, 2]
    echo = subject["Echo"]()
    assert next(echo) is None
    assert echo.send("said") == "said"
    echo.close()
    short = subject["Squares"](0, log)
    with pytest.raises(StopIteration) as ended:
        next(short)
    assert ended.value.value == "done"


def test_an_object_that_a_message_has_twice_is_released_once() -> None:
    source = "class Thing: pass\ndef Twice(*_):\n thing = Thing()\n return [thing, (thing, thing)]"
    with process(source) as (peer, names):
        for _ in range(3):
            own = SimpleNamespace()
            one, (two, three) = names["Twice"](own, [own])
            assert one is two is three
            del one, two, three
        assert peer.broken is None


GENERATORS = """
def Lines(log):
    try:
        yield 1
        yield 2
    finally:
        log.append("closed")

def Keep(generator):
    next(generator)
    kept.append(generator)

def Drop(): kept.clear()
kept = []
"""
ENDINGS: dict[str, Callable[[Any], object]] = {
    "closed": lambda lines: [(next(each), each.close()) for each in [lines]],
    "dropped": next,
    "left": any,
    "at its end": list,
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_generator_is_closed_when_nobody_has_it_any_more(ending: str) -> None:
    with process(GENERATORS) as (peer, names):
        log: list[str] = []
        ENDINGS[ending](names["Lines"](log))
        assert log == ["closed"]
        assert not peer._begun


def test_a_generator_of_the_tests_own_is_closed_when_the_subject_drops_it() -> None:
    log: list[str] = []

    def lines() -> Iterator[int]:
        try:
            yield 1
        finally:
            log.append("closed")

    with process(GENERATORS) as (_, names):
        names["Keep"](lines())
        names["Drop"]()
        assert log == ["closed"]


FUNCTIONS = """
def Plain(a, b=1, *c, d: int, e=[1], **g) -> float: pass
def Generator(): yield 1
async def Coroutine(): return 1
async def Asynchronous(): yield 1
class Thing:
    async def wait(self, x): pass
thing = Thing()

import asyncio, inspect
def Signature(function): return str(inspect.signature(function))
def Kinds(function): return [each(function) for each in (
    inspect.isgeneratorfunction, inspect.iscoroutinefunction, asyncio.iscoroutinefunction,
    inspect.isasyncgenfunction)]
"""
KINDS = (
    inspect.isgeneratorfunction,
    inspect.iscoroutinefunction,
    asyncio.iscoroutinefunction,
    inspect.isasyncgenfunction,
)


@pytest.mark.filterwarnings("ignore:.*iscoroutinefunction")
def test_functions_tell_what_they_are() -> None:
    with process(FUNCTIONS) as (_, names):
        for name, kinds in {
            "Plain": [False, False, False, False],
            "Generator": [True, False, False, False],
            "Coroutine": [False, True, True, False],
            "Asynchronous": [False, False, False, True],
        }.items():
            assert [is_one(names[name]) for is_one in KINDS] == kinds
            assert names["Kinds"](names[name]) == kinds
        assert inspect.iscoroutinefunction(names["thing"].wait)
        assert not inspect.iscoroutinefunction(names["Thing"])
        signature = inspect.signature(names["Plain"])
        assert re.sub("'", "", str(signature)) == "(a, b=1, *c, d: int, e=[1], **g) -> float"
        assert str(inspect.signature(names["thing"].wait)) == "(x)"


def test_functions_of_the_test_tell_their_signature_but_no_default() -> None:
    async def own(a: int, *b: str) -> None:
        pass

    with process(FUNCTIONS) as (_, names):
        assert re.sub("'", "", names["Signature"](own)) == "(a: int, *b: str) -> None"
        assert names["Kinds"](own)[1:3] == [True, True]
        assert names["Signature"](lambda x, expected=42: x == expected) == "(x, expected=Ellipsis)"


def test_functions_of_the_tests_own_are_called_there(subject: dict[str, Any]) -> None:
    assert subject["Each"](lambda x: x * 10, [1, 2]) == [10, 20]
    seen: list[Any] = []
    subject["Each"](seen.append, ["a", "b"])
    assert seen == ["a", "b"]

    class Own(Exception):
        pass

    def fail(_: object) -> None:
        raise Own("mine")

    with pytest.raises(Own, match="mine"):
        subject["Each"](fail, [1])


def test_calls_go_back_and_forth_only_so_deep(subject: dict[str, Any]) -> None:
    deep = subject["Deep"]

    def again(n: int) -> int:
        return n and 1 + int(deep(again, n - 1))

    assert deep(again, 50) == 50
    with pytest.raises(RecursionError, match="too deep"):
        deep(again, DEEPEST + 1)
    assert deep(again, 1) == 1


# --- what is compared is compared by the judge ----------------------------------------------------


def test_no_object_passes_for_plain_data(subject: dict[str, Any]) -> None:
    lie, stack = subject["Lie"](), subject["Stack"]()
    assert not lie == 5  # noqa: SIM201
    assert lie != 5
    assert [5, 6].count(lie) == 0
    assert [lie] != [5]
    assert lie not in {5, 6}
    assert "x" not in stack
    for calculate in (lambda: stack + 1, lambda: 1 + lie, lambda: stack < 3, lambda: lie <= 5):
        with pytest.raises(TypeError, match="is a class of the implementation's"):
            calculate()  # type: ignore[no-untyped-call]
    assert stack == subject["Stack"]()


def test_of_a_class_operators_are_asked_of_its_objects() -> None:
    with process(SOURCE, is_strict=False) as (_, names):
        assert names["Stack"]() + 1 == 5
        assert names["Lie"]() == 7
        assert "x" in names["Stack"]()


# --- exceptions -----------------------------------------------------------------------------------


def test_exceptions_of_its_own_are_real_ones(subject: dict[str, Any]) -> None:
    with pytest.raises(subject["Oops"]) as raised:
        subject["Failing"](None)
    error: Any = raised.value
    assert issubclass(type(error), ValueError)
    assert (error.args, error.code, error.twice, str(error)) == (("text",), 7, 14, "oops 7")
    with pytest.raises(AttributeError):
        _ = error._hidden
    with pytest.raises(subject["Oops"]):
        subject["Raise"](error)
    with pytest.raises(subject["Oops"]):
        raise subject["Oops"]("by hand", 1)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a", [1]),
        KeyError("k"),
        OSError(2, "no"),
        UnicodeDecodeError("utf-8", b"a", 0, 1, "why"),
        ZeroDivisionError(),
        json.JSONDecodeError("m", "doc", 1),
        queue.Empty(),
        SystemExit(3),
        ExceptionGroup("g", [ValueError("x"), TypeError("y")]),
    ],
    ids=repr,
)
def test_exceptions_of_the_standard_library_are_the_same(
    subject: dict[str, Any], error: BaseException
) -> None:
    with pytest.raises(type(error)) as raised:
        subject["Raise"](error)
    assert type(raised.value) is type(error)
    assert repr(raised.value) == repr(error)


@pytest.mark.parametrize(
    "error",
    [
        StopIteration,
        StopAsyncIteration,
        GeneratorExit,
        KeyboardInterrupt,
        asyncio.CancelledError,
        unittest.SkipTest,
        pytest.skip.Exception,
    ],
)
def test_nothing_leaves_a_test_early(subject: dict[str, Any], error: type[BaseException]) -> None:
    with pytest.raises(EarlyExit, match=f"the implementation raised {error.__name__}") as raised:
        subject["Raise"](error("x"))
    assert isinstance(raised.value, Exception) is issubclass(error, Exception)


def test_an_end_of_iteration_is_one_only_where_something_is_iterated(
    subject: dict[str, Any],
) -> None:
    with pytest.raises(EarlyExit, match="raised StopIteration"):
        all(map(subject["End"], [1, 2]))
    with pytest.raises(EarlyExit, match="raised Stop"):
        subject["Raise"](subject["Stop"]())


def test_a_failed_assertion_in_a_callback_is_remembered() -> None:
    def fails() -> None:
        raise AssertionError("seen")

    with process(SOURCE) as (peer, names):
        assert names["Swallow"](fails) == "AssertionError"
        assert [str(error) for error in peer.failures] == ["seen"]


# --- what stays out of reach ----------------------------------------------------------------------


def test_private_names_and_judges_stay_on_their_side(subject: dict[str, Any]) -> None:
    def function() -> None:
        pass

    case = unittest.TestCase()
    for thing, name in (
        (function, "__globals__"),
        (function, "__closure__"),
        (SimpleNamespace(_x=1), "_x"),
        (case, "fail"),
    ):
        with pytest.raises(AttributeError):
            subject["Peek"](thing, name)
    for shared in (function, SimpleNamespace, case):
        with pytest.raises(AttributeError):
            subject["Poke"](shared, "assertEqual", 1)
    for mocked in (Mock(), AsyncMock()):
        for name in ("assert_called_once", "mock_calls", "side_effect", "reset_mock"):
            with pytest.raises(AttributeError):
                subject["Peek"](mocked, name)
        for name in ("assert_called_once", "call_count", "return_value", "reset_mock"):
            with pytest.raises(AttributeError):
                subject["Poke"](mocked, name, 1)
    mocked = Mock(value=1)
    subject["Poke"](mocked, "value", 2)
    assert mocked.value == 2
    with pytest.raises(AttributeError):
        subject["Peek"](case, "__dict__")
    open_thing = SimpleNamespace(value=1)
    assert subject["Peek"](open_thing, "value") == 1
    subject["Poke"](open_thing, "value", 2)
    assert open_thing.value == 2


def test_a_process_that_ends_is_noticed_whatever_is_caught() -> None:
    with process(SOURCE) as (peer, names):
        with pytest.raises(Broken, match="has ended"):
            names["Die"]()
        assert peer.broken
        with pytest.raises(Broken):
            names["Add"](1)


# --- hostile answers ------------------------------------------------------------------------------

CLASS = [9, "C", "object", [], [], [], [], [], []]


@pytest.mark.parametrize(
    "message",
    [
        {},
        [],
        ["="],
        ["=", 2, [1], [], [], [], []],
        ["=", 1, [], [], [], [], []],
        ["=", 1, [1, 2], [], [], [], []],
        ["=", 1, [["h", 1, ["c", 9]]], [], [], [], []],
        ["=", 1, [["h", 1, ["n", "int"]]], [], [], [], []],
        ["=", 1, [["y", 99]], [], [], [], []],
        ["=", 1, [["member", ["n", "int"], "real"]], [], [], [], []],
        ["=", 1, [["module", "os"]], [], [], [], []],
        ["=", 1, [["standard", "os", "system"]], [], [], [], []],
        ["=", 1, [1], [], [CLASS, CLASS], [], []],
        ["=", 1, [1], [], [[9, "C\0", "object", [], [], [], [], [], []]], [], []],
        ["=", 1, [1], [], [[9, "C", "error", [], [], [], [], []]], [], []],
        ["=", 1, [1], [], [[9, "C", "enum", [["n", "int"]], [], [], [], [["A", 1]]]], [], []],
        ["=", 1, [1], [], [[9, "C", "named", [["n", "tuple"]], [], [], [], ["1"]]], [], []],
        ["=", 1, [1], [], [[9, "C", "unknown", [], [], [], [], []]], [], []],
        ["=", 1, [1], [], [], [[1, 1]], []],
        ["=", 1, [1], [], [], [], [[0, ["list", []]]]],
        ["=", 1, [1], [], [], [], [["x"]]],
        ["!", 1, [1], [], [], [], []],
        ["!", 1, [["n", "ValueError"]], [], [], [], []],
        ["renew", 1, [], [], [], [], []],
        ["?", 1, "call", 99, "", [], None, [], [], [], [], 0],
        ["?", 1, "call"],
    ],
    ids=lambda message: json.dumps(message)[:60],
)
def test_nonsense_breaks_the_border(message: Any) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        Channel(theirs.fileno()).send(encode(message))
        peer = Peer(Channel(ours.fileno()), is_judge=True, is_strict=True)
        with pytest.raises(Broken):
            peer.fetch(1)
        assert peer.broken


@pytest.mark.parametrize("name", ["__getattribute__", "__class__", "__reduce__", "__init__"])
def test_special_methods_that_are_not_offered_are_nonsense(name: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = Peer(Channel(ours.fileno()), is_judge=True, is_strict=True)
        number = peer.offer({})
        asked = ["?", 1, "special", number, name, [], None, [], [], [], [], 0]
        Channel(theirs.fileno()).send(encode(asked))
        with pytest.raises(Broken):
            peer.fetch(1)


def test_the_answer_to_another_request_is_no_answer() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        channel = Channel(theirs.fileno())
        peer = Peer(Channel(ours.fileno()), is_judge=True, is_strict=True)
        for _ in range(2):
            channel.send(encode(["=", 1, [1], [], [], [], []]))
        assert peer.ask(Operation.CALL, 1, "") == 1
        with pytest.raises(Broken, match="another request"):
            peer.fetch(1)
