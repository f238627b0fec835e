"""Finding functions in the list."""

import pytest

from functions.models import Function
from functions.pages import BadCursor, BrowsePage, browse
from tests.functions.pages import builders as make

pytestmark = pytest.mark.django_db


def names(page: BrowsePage) -> list[str]:
    return [row.function.name for row in page.rows]


def test_pages_hold_every_function_once_though_others_come_in_between() -> None:
    for name in ("Delta", "alpha", "Charlie", "Bravo"):
        make.function(name)
    first = browse(limit=2)
    make.function("Aaron")
    assert first.next is not None
    second = browse(limit=2, cursor=first.next)
    assert names(first) + names(second) == ["alpha", "Bravo", "Charlie", "Delta"]
    assert second.next is None


def test_every_word_must_be_found_and_names_come_before_descriptions() -> None:
    make.function("Multiply", description="The product, by repeated addition.")
    make.function("AddDays", description="Adds days to a date.")
    make.function("Add", description="The sum.")
    make.function("MadDash", description="Nothing")
    assert names(browse(q="add")) == ["Add", "AddDays", "MadDash", "Multiply"]
    assert names(browse(q="ADD date")) == ["AddDays"]
    first = browse(q="add", limit=3)
    assert names(browse(q="add", limit=3, cursor=first.next or "")) == ["Multiply"]


@pytest.mark.parametrize("q", ["%", "_", "\\", "a\0b", "\ud800", "' or 1=1"])
def test_odd_characters_are_searched_for_as_they_are(q: str) -> None:
    make.function("Add", description="plain")
    assert names(browse(q=q)) == (["Add"] if q == "\ud800" else [])


def test_status_and_kind_filter_and_counts_tell_what_each_status_would_show() -> None:
    make.elect(make.implementation(make.function("Add")))
    Function.objects.filter(pk=make.function("Halve").pk).update(status="blocked")
    make.function("Power")
    make.function("Gone", deleted_at=make.SINCE)
    assert names(browse(status="implemented")) == ["Add"]
    assert names(browse(status="needs_help")) == ["Halve", "Power"]
    assert names(browse(kind="page")) == []
    assert browse(status="blocked").counts == {
        "all": 3,
        "needs_help": 2,
        "implemented": 1,
        "blocked": 1,
        "not_implemented": 1,
    }


def test_a_row_counts_published_works_and_shows_the_current_squares() -> None:
    function = make.function("Add")
    work = make.implementation(function)
    make.implementation(function, state="draft")
    counting, other = make.test_of(function), make.test_of(function, counts=False)
    make.cell(work, counting, "failed")
    make.cell(work, other, "passed")
    make.cell(work, None, "passed")
    make.elect(work)
    (row,) = browse().rows
    assert (row.tests, row.implementations, row.elected) == (2, 1, work)
    assert row.elected_author == work.author.username
    assert [square.state for square in row.strip] == ["failed"]


@pytest.mark.parametrize(
    "cursor", ["!", "e30", "WzFd", "WzksICJhIl0", "[" * 9000, "é", "WzAsICIAIl0"]
)
def test_a_cursor_that_is_none_of_ours_is_refused(cursor: str) -> None:
    with pytest.raises(BadCursor):
        browse(cursor=cursor)
