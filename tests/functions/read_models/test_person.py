"""What a person's page tells of them."""

from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from django.contrib.auth.models import User

from functions.read_models import BadCursor
from functions.read_models.activity import activity_of
from functions.read_models.person import person_page
from tests.support import builders as make

pytestmark = pytest.mark.django_db
TODAY = date(2026, 1, 20)


@pytest.fixture
def mira() -> User:
    """Somebody who owns Add, has written two implementations and a test for others, and a draft."""
    mira = make.user("mira")
    make.function("Add", owner=mira, created_at=make.SINCE)
    total = make.function("Total", dependents=3)
    current = make.implementation(total, author=mira, score=2)
    older = make.implementation(total, author=mira, score=-1, state="withdrawn")
    make.implementation(total, author=mira, state="draft")
    make.elect(current)
    test = make.test_of(total, author=mira, score=4)
    make.cell(current, test, "passed")
    make.cell(older, test, "time_limit")
    make.cell(older, make.test_of(total, author=mira, counts=False), "failed")
    gone = make.function("Gone", owner=mira, deleted_at=make.SINCE)
    make.implementation(gone, author=mira)
    return mira


def read_through(user: User, *, limit: int) -> Iterator[tuple[str, int]]:
    cursor: str | None = ""
    while cursor is not None:
        page = activity_of(user, limit=limit, cursor=cursor)
        yield from ((row.noun, row.id) for row in page.rows)
        cursor = page.next


def test_totals_say_what_is_current_used_liked_and_what_tests_have_caught(mira: User) -> None:
    page = person_page(mira, today=TODAY)
    totals = page.totals
    assert (totals.functions, totals.implementations, totals.tests) == (1, 2, 2)
    assert (totals.current, totals.dependents, totals.score, totals.caught) == (1, 3, 5, 1)
    assert [(catch.test.score, catch.implementations) for catch in page.catches] == [(4, 1)]
    assert [function.name for function in page.owned] == ["Add"]
    assert page.days[date(2026, 1, 1)] >= 1


def test_activity_is_newest_first_and_holds_page_by_page(mira: User) -> None:
    whole = activity_of(mira)
    nouns = [row.noun for row in whole.rows]
    assert nouns == ["test", "test", "implementation", "implementation", "function"]
    assert [row.is_current for row in whole.rows] == [False, False, False, True, False]
    read = list(read_through(mira, limit=2))
    assert read == [(row.noun, row.id) for row in whole.rows]
    with pytest.raises(BadCursor):
        activity_of(mira, cursor="WzksICJhIl0")


def test_what_was_done_at_one_instant_is_listed_once() -> None:
    author = make.user()
    at = make.SINCE + timedelta(days=1)
    for _ in range(2):
        function = make.function(owner=author, created_at=at)
        make.implementation(function, author=author, published_at=at)
        make.test_of(function, author=author, published_at=at)
    read = list(read_through(author, limit=1))
    assert (len(read), len(set(read))) == (6, 6)


@pytest.mark.parametrize(
    ("show", "count"), [("functions", 1), ("implementations", 2), ("tests", 2), ("current", 1)]
)
def test_activity_can_be_of_one_sort(mira: User, show: str, count: int) -> None:
    assert len(activity_of(mira, show=show).rows) == count
