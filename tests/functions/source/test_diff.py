"""Differences of texts, line by line."""

from hypothesis import given
from hypothesis import strategies as st

from functions.source.diff import Fold, Line, Op, Pair, compare, fold, lines_of, side_by_side

# Few different lines, so that texts have much in common.
texts = st.lists(st.sampled_from(["", "a", "b", "    return a", "<<Add>>"]), max_size=40)


def apply(lines: tuple[Line, ...], old: list[str]) -> list[str]:
    """Walk through the old text as the difference says; it must be the text that it was made of."""
    rest, new = list(old), []
    for line in lines:
        if line.op != Op.ADD:
            assert rest.pop(0) == line.text
            assert line.old == len(old) - len(rest)
        if line.op != Op.DEL:
            new.append(line.text)
            assert line.new == len(new)
    assert rest == []
    return new


@given(texts, texts)
def test_a_difference_applied_to_one_text_gives_the_other(old: list[str], new: list[str]) -> None:
    difference = compare(old, new)
    assert apply(difference.lines, old) == new
    assert len(old) + difference.added - difference.deleted == len(new)
    assert difference.is_none == (old == new)
    pairs = side_by_side(difference.lines)
    sides = [pair for pair in pairs if isinstance(pair, Pair)]
    assert [pair.old.text for pair in sides if pair.old] == old
    assert [pair.new.text for pair in sides if pair.new] == new


@given(texts, texts)
def test_only_what_is_far_from_any_change_is_folded(old: list[str], new: list[str]) -> None:
    lines = compare(old, new).lines
    folded = fold(lines, around=2)
    shown = [line for line in folded if isinstance(line, Line)]
    hidden = sum(line.count for line in folded if isinstance(line, Fold))
    assert hidden + len(shown) == len(lines)
    assert [line for line in lines if line.op != Op.SAME] == [
        line for line in shown if line.op != Op.SAME
    ]


def test_what_was_deleted_stands_beside_what_was_added_in_its_place() -> None:
    difference = compare(["a", "b", "c"], ["a", "x", "y", "c"])
    ops = [(line.op.value, line.text) for line in difference.lines]
    assert ops == [("same", "a"), ("del", "b"), ("add", "x"), ("add", "y"), ("same", "c")]
    texts_beside = [
        (pair.old and pair.old.text, pair.new and pair.new.text)
        for pair in side_by_side(difference.lines)
        if isinstance(pair, Pair)
    ]
    assert texts_beside == [("a", "a"), ("b", "x"), (None, "y"), ("c", "c")]


def test_code_that_repeats_itself_beyond_reason_is_compared_at_once() -> None:
    old = ["head", *["pass", "x"] * 2_000, "tail"]
    new = ["head", *["pass", "y"] * 2_000, "tail"]
    difference = compare(old, new)
    assert apply(difference.lines, old) == new
    assert (difference.added, difference.deleted) == (3_999, 3_999)


def test_line_ends_of_any_kind_are_no_difference() -> None:
    assert lines_of("a\r\nb\rc\n") == lines_of("a\nb\nc") == ["a", "b", "c"]
    assert lines_of("") == []
