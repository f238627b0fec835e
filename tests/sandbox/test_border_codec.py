"""Values come out of the border's codec as they went in; nonsense comes out as `Malformed`."""

from __future__ import annotations

import array
import datetime as dt
import json
import os
import re
import socket
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.sandbox.border.codec import Form, Packer, Unpacker
from runner.sandbox.border.plain import Malformed, Uncrossable
from runner.sandbox.border.protocol import LONGEST_MESSAGE, Channel, Gone, TooLong, encode


class Pair(tuple[Any, ...]):  # noqa: SLOT001
    """Crosses by value, with its attributes."""


class Bag(list[Any]):
    """Crosses by value, and can be changed in place."""


class Strange:
    """Crosses as a reference."""


def refer(value: Any) -> Any:
    if type(value) is Pair:
        return Form(["Pair"], (tuple(value), dict(vars(value)) or None))
    if type(value) is Bag:
        return Form(["Bag"], (list(value), None))
    if type(value) is Strange:
        return ["h", 7]
    raise Uncrossable(type(value).__name__)


STRANGE = Strange()


def resolve(item: list[Any]) -> Any:
    if item == ["h", 7]:
        return STRANGE
    raise Malformed("an unknown reference")


def create(reference: Any, base: Any) -> Any:
    if reference == ["Pair"] and type(base) is tuple:
        return Pair(base)
    if reference == ["Bag"] and base is None:
        return Bag()
    raise Malformed("an unknown class")


PACKER, UNPACKER = Packer(refer), Unpacker(resolve, create)


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Channel(ours.fileno()), Channel(theirs.fileno())


def there(*values: Any) -> list[Any]:
    """Return values as the other side reads them."""
    packed = PACKER.pack(values)
    text = json.dumps([packed.items, packed.heap], ensure_ascii=False)
    content = json.loads(text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass"))
    return UNPACKER.unpack(*content)[0]


def shown(value: Any) -> Any:
    """Return what tells values apart that are equal, such as 1 and True, or 0.0 and -0.0."""
    if isinstance(value, set | frozenset):
        return type(value), sorted(repr(shown(each)) for each in value)
    if isinstance(value, dict):
        return type(value), [(shown(key), shown(each)) for key, each in value.items()]
    if isinstance(value, list | tuple | deque):
        return type(value), [shown(each) for each in value]
    return type(value), repr(value)


ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=()))
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.complex_numbers(allow_nan=False)
    | st.dates()
    | st.datetimes(timezones=st.none() | st.just(dt.UTC))
    | st.timedeltas()
    | st.uuids()
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.lists(inner).map(deque)
        | st.dictionaries(ATOMS, inner)
        | st.frozensets(ATOMS)
        | st.sets(ATOMS)
    ),
)


@given(VALUES)
def test_values_arrive_with_their_exact_types(value: Any) -> None:
    (arrived,) = there(value)
    assert arrived == value
    assert shown(arrived) == shown(value)


@pytest.mark.parametrize(
    "value",
    [
        1 << 5_000,
        -(1 << 700),
        [1 << 64] * 20,
        [1 << 31, *range(20)],
        [-(1 << 31)] * 20,
        [*range(20), True],
        [-(1 << 63)] * 20,
        [True] * 20,
        [0.0, -0.0, float("inf")] * 10,
        float("nan"),
        "\ud83d\ude00 \0 é",
        bytearray(b"\0\xff"),
        array.array("d", [1.5, 2]),
        range(1, 10**30, 2),
        slice(None, -1, 1 << 600),
        deque([1, 2], maxlen=3),
        OrderedDict(b=1, a=2),
        Counter("abracadabra"),
        defaultdict(list, {1: [2]}),
        defaultdict(None, {1: 2}),
        Decimal("-0E+5"),
        Decimal("sNaN"),
        Fraction(-1, 3),
        dt.time(1, 2, 3, 4, dt.timezone(dt.timedelta(hours=2), "X"), fold=1),
        dt.timezone(dt.timedelta(seconds=1)),
        uuid.UUID(int=5),
        PurePosixPath("/a/../b"),
        PureWindowsPath("c:/a"),
        re.compile("a(?P<x>b)", re.IGNORECASE),
        re.compile(rb"\d"),
        ...,
        NotImplemented,
    ],
    ids=repr,
)
def test_each_type_of_data_arrives(value: Any) -> None:
    (arrived,) = there(value)
    assert shown(arrived) == shown(value)


@pytest.mark.parametrize("thing", [int, deque, ValueError, Decimal, len, type(None), sorted])
def test_builtins_arrive_by_name(thing: object) -> None:
    assert there([thing])[0][0] is thing


@pytest.mark.parametrize("thing", [exec, eval, open, setattr, next, compile, type, vars, input])
def test_builtins_that_reach_further_than_their_arguments_have_no_name(thing: object) -> None:
    with pytest.raises(Uncrossable):
        there(thing)


def test_aliases_and_cycles_are_kept() -> None:
    shared: list[Any] = []
    value = {"a": shared, "b": (shared, [shared])}
    shared.append(value)
    again, other = there(value, shared)
    assert again["a"] is again["b"][0] is again["b"][1][0] is other
    assert other[0] is again


def test_nesting_of_any_depth_arrives_and_needs_no_deep_message() -> None:
    value: Any = ()
    for _ in range(20_000):
        value = (value,)
    packed = PACKER.pack([value])
    assert max(len(json.dumps(entry)) for entry in packed.heap) < 40
    (arrived,) = UNPACKER.unpack(packed.items, packed.heap)[0]
    for _ in range(20_000):
        (arrived,) = arrived
    assert arrived == ()


@pytest.mark.parametrize("kind", [dict, OrderedDict, Counter])
def test_views_of_a_dict_arrive_as_views(kind: Any) -> None:
    value = kind({"b": 1, (1, ("x",)): 2})
    shared = [value.values()]
    keys, values, items, again = there(
        value.keys(), value.values(), value.items(), [shared, shared]
    )
    assert keys == value.keys() == {"b", (1, ("x",))}
    assert [*values] == [1, 2]
    assert items == value.items()
    assert (type(keys), type(items)) == (type({}.keys()), type({}.items()))
    assert again[0] is again[1]
    unhashable = {1: [2], 2: {3}}
    assert [*there(unhashable.items())[0]] == [*unhashable.items()]


def test_tuples_within_each_other_by_a_list_arrive() -> None:
    between: list[Any] = []
    outer = (between, frozenset({1}))
    between.append((outer, outer[1]))
    (arrived,) = there(outer)
    assert arrived[0][0][0] is arrived
    assert arrived[0][0][1] is arrived[1]
    assert arrived[1] == {1}


def test_frozen_containers_that_were_seen_before_what_contains_them_arrive() -> None:
    inner = [(number,) for number in range(50)]
    value = [*inner, (*inner, ((*inner,),)), frozenset(inner)]
    (arrived,) = there(value)
    assert arrived == value
    assert all(one is other for one, other in zip(arrived[:50], arrived[50], strict=False))


def test_objects_cross_by_form_or_by_reference() -> None:
    pair: Any = Pair((1, [2]))
    pair.note = pair
    arrived, strange = there(pair, [STRANGE])
    assert type(arrived) is Pair
    assert arrived == (1, [2])
    assert vars(arrived) == {"note": arrived}
    assert strange == [STRANGE]


def test_an_object_that_contains_itself_arrives() -> None:
    bag = Bag([1])
    bag.append((bag, [bag]))
    (arrived,) = there(bag)
    assert type(arrived) is Bag
    assert arrived[0] == 1
    assert arrived[1][0] is arrived[1][1][0] is arrived


def test_what_came_with_a_question_is_known_in_its_answer() -> None:
    question = PACKER.pack([[1, [2]]])
    (asked,), objects = UNPACKER.unpack(question.items, question.heap)
    answer = PACKER.pack([asked, [asked[1]]], objects)
    (whole, inner), _ = UNPACKER.unpack(answer.items, answer.heap, question.objects)
    assert whole is question.objects[0]
    assert inner[0] is whole[1]


ITEMS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from("n h list tuple dict set object deque Pattern Decimal int q d len q=".split())
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=1), inner),
    max_leaves=12,
)


@given(ITEMS, ITEMS)
def test_whatever_arrives_is_read_or_malformed(items: Any, heap: Any) -> None:
    for told, heaped in ((items, heap), ([items], [heap]), (items, [heap, items])):
        try:
            UNPACKER.unpack(told, heaped, [[]])
        except Malformed:
            continue


@pytest.mark.parametrize(
    ("items", "heap"),
    [
        ([[0]], [["tuple", [[0]]]]),
        ([[5]], []),
        ([[-1]], []),
        ([["n", "exec"]], []),
        ([["n", "__import__"]], []),
        ([["n"]], []),
        ([{}], []),
        ([["range", 1, 2, 0]], []),
        ([["Decimal", 1]], []),
        ([["date", 10**9]], []),
        ([["Pattern", "(" * 50, 0]], []),
        ([["Pattern", "a" * 200_000, 0]], []),
        ([["Pattern", 5, 0]], []),
        ([["Pattern", "a"]], []),
        ([["Fraction", "1e999999999"]], []),
        ([["datetime", ["bytes", "AAAAAAAAAAAAAA=="]]], []),
        ([["datetime", 2000, 1, 1, 0, 0, 0, 0, 0, None]], []),
        ([["timezone", "UTC"]], []),
        ([["ZoneInfo", "../x"]], []),
        ([["bytearray", [0]]], [["tuple", []]]),
        ([["range", True]], []),
        ([[0, 0]], [["list", []]]),
        ([[0]], [["tuple", [[1]]], ["frozenset", [[2]]], ["tuple", [[0]]]]),
        ([[0]], [["dict", [[1]], [2]], ["list", []]]),
        ([[0]], [["dict", [1, 2], [3]]]),
        ([[0]], [["dict_items", [1, 2], [3]]]),
        ([[0]], [["dict_items", [1]]]),
        ([[0]], [["dict_keys", [[1]]], ["list", []]]),
        ([[0]], [["dict_keys", [1], [2]]]),
        ([[0]], [["defaultdict", "exec", [], []]]),
        ([[0]], [["defaultdict", [0], [], []]]),
        ([[0]], [["list", []], ["defaultdict", [0], [], []]]),
        ([[0]], [["defaultdict", ["Decimal", "1"], [], []]]),
        ([[0]], [["list", "q!"]]),
        ([[0]], [["object", ["Pair"], 5, None]]),
        ([[0]], [["object", ["Pair"], [1], {"a": 1}], ["tuple", []]]),
        ([[0]], [["object", ["Bag"], [1], None], ["dict", [], []]]),
        ([[0]], [["extended", ["Pair"], [1], None], ["tuple", []]]),
        ([[0]], [["extended", ["Bag"], [1], None], ["dict", [], []]]),
        ([[0]], [["extended", ["Bag"], [1], None], ["tuple", []]]),
        ([[0]], [["extended", ["Bag"], [0], None]]),
        ([[0]], [["extended", ["Bag"], 5, None]]),
        ([[0]], [["module", "os"]]),
        ([[0]], [[]]),
    ],
)
def test_nonsense_is_malformed(items: Any, heap: Any) -> None:
    with pytest.raises(Malformed):
        UNPACKER.unpack(items, heap)


# --- the channel ----------------------------------------------------------------------------------


def test_messages_arrive_whole_however_they_are_cut(ends: tuple[Channel, Channel]) -> None:
    here, over_there = ends
    data = b"".join(
        len(body).to_bytes(4, "little") + body for body in (b"[1]", b'["\xc3\xa9"]', b"[]")
    )
    for byte in data:
        os.write(here.descriptor, bytes([byte]))
    assert [over_there.receive() for _ in range(3)] == [[1], ["é"], []]
    here.send(encode([["x" * 50_000]]))
    here.send(encode(["\ud800"]))
    assert over_there.receive() == [["x" * 50_000]]
    assert over_there.receive() == ["\ud800"]


@pytest.mark.parametrize(
    "data",
    [
        (LONGEST_MESSAGE + 1).to_bytes(4, "little"),
        b"\x02\0\0\0[}",
        b"\x04\0\0\0[][]",
        b"\x02\0\0\0\xff\xff",
        (100_000).to_bytes(4, "little") + b"[" * 100_000,
        (6_002).to_bytes(4, "little") + b"[" + b"1" * 6_000 + b"]",
    ],
    ids=["too long", "no JSON", "two at once", "no UTF-8", "too deep", "too many digits"],
)
def test_what_is_no_message_is_malformed(ends: tuple[Channel, Channel], data: bytes) -> None:
    here, over_there = ends
    os.write(here.descriptor, data)
    with pytest.raises(Malformed):
        over_there.receive()


def test_a_message_that_is_too_long_is_not_sent(ends: tuple[Channel, Channel]) -> None:
    here, over_there = ends
    with pytest.raises(TooLong, match="16,777,2"):
        here.send(encode(["x" * LONGEST_MESSAGE]))
    here.send("[1]")
    assert over_there.receive() == [1]


@pytest.mark.parametrize("act", [Channel.receive, lambda channel: channel.send("[1]")])
def test_the_end_of_the_other_side_is_told(act: Callable[[Channel], object]) -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    with ours, pytest.raises(Gone):
        act(Channel(ours.fileno()))
