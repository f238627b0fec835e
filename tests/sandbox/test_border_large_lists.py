"""Large lists aren't sent again while they haven't changed; nobody can tell but by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.sandbox.border.changes import LARGE, LARGEST, SLOTS, ReceivedLists, are_same_items
from runner.sandbox.border.protocol import Channel
from tests.sandbox.border_process import process

SOURCE = """
kept = []
def Digest(xs): return len(xs), repr(xs)
def Set(xs, place, value): xs[place] = value; return repr(xs)
def Cut(xs): del xs[10:]
def Keep(xs): kept.append(xs)
def Spoil(value):
    for xs in kept: xs[0] = value
def Is(xs, ys): return xs is ys
"""
COUNT = SLOTS + 2
_places = st.integers(0, LARGE - 1)
_lists = st.integers(0, COUNT - 1)
_values = st.sampled_from([0, 1, True, 1.0, -0.0, 0.0, "1", None, 1 << 70, "\ud800", float("nan")])
_steps = st.one_of(
    st.tuples(st.just("digest"), _lists),
    st.tuples(st.sampled_from(["set here", "set there"]), _lists, _places, _values),
    st.tuples(st.just("keep"), _lists),
    st.tuples(st.just("spoil"), _values),
    st.tuples(st.just("fail"), _lists),
)


@pytest.fixture(scope="module")
def far() -> Iterator[dict[str, Any]]:
    with process(SOURCE) as (_, names):
        yield names


@settings(max_examples=60, deadline=None)
@given(st.lists(_steps, max_size=30))
def test_both_sides_see_the_same_whatever_is_changed_where(
    far: dict[str, Any], steps: list[tuple[Any, ...]]
) -> None:
    lists: list[list[Any]] = [[number] * LARGE for number in range(COUNT)]
    expected = [things.copy() for things in lists]
    for kind, *given_ in steps:
        match kind, given_:
            case "digest", [which]:
                assert far["Digest"](lists[which]) == (LARGE, repr(expected[which]))
            case "set here", [which, place, value]:
                lists[which][place] = expected[which][place] = value
            case "set there", [which, place, value]:
                expected[which][place] = value
                assert far["Set"](lists[which], place, value) == repr(expected[which])
            case "keep", [which]:
                far["Keep"](lists[which])
            case "spoil", [value]:
                far["Spoil"](value)
            case "fail", [which]:
                with pytest.raises(TypeError):
                    far["Digest"]([lists[which], pytest])
        assert repr(lists) == repr(expected)
    for things, content in zip(lists, expected, strict=True):
        assert far["Digest"](things) == (LARGE, repr(content))


def test_a_list_that_grows_and_shrinks_is_the_same_on_both_sides(far: dict[str, Any]) -> None:
    things = [*range(LARGE)]
    far["Digest"](things)
    things.append(1)
    assert far["Digest"](things)[0] == LARGE + 1
    far["Cut"](things)
    assert things == [*range(10)]
    things += range(LARGE)
    assert far["Digest"](things) == (LARGE + 10, repr(things))


def test_one_list_twice_is_one_on_the_other_side(far: dict[str, Any]) -> None:
    things = [0] * LARGE
    for _ in range(2):
        assert far["Is"](things, things) is True
        assert far["Is"](things, things.copy()) is False


def test_an_unchanged_list_is_sent_once(
    far: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    write = Channel._write

    def noting(channel: Channel, data: bytes) -> None:
        sent.append(len(data))
        write(channel, data)

    monkeypatch.setattr(Channel, "_write", noting)
    things = [*range(100_000)]
    for _ in range(3):
        assert far["Digest"](things)[0] == 100_000
    first, *others = sent
    assert first > 100_000
    assert max(others) < 1_000
    larger = [0] * (LARGEST + 1)
    sent.clear()
    for _ in range(2):
        far["Digest"](larger)
    assert min(sent) > LARGEST


def test_equal_items_are_not_the_same() -> None:
    assert are_same_items([], [])
    assert are_same_items([1, "a", None], [1, "a", None])
    assert not are_same_items([1], [True])
    assert not are_same_items([1], [1, 1])
    assert not are_same_items([0.0], [-0.0])


@pytest.mark.parametrize("slot", [-1, SLOTS, True, "0", None, 1.0])
def test_there_are_no_other_slots(slot: Any) -> None:
    with pytest.raises(ValueError, match="no such slot"):
        ReceivedLists().keep(slot, [])
