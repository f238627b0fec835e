"""Finding functions in the list."""

from datetime import timedelta

import pytest
from django.test import Client

from functions.models import Function
from functions.read_models import BadCursor, BrowsePage, browse
from functions.read_models.search import names_like
from functions.read_models.undefined_names import wanted_names
from tests.support import builders as make

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
        "untested": 1,
        "blocked": 1,
        "not_implemented": 1,
    }
    Function.objects.exclude(name="Power").update(description="Of numbers.")
    for sort in ("", "changed"):  # found once and counted on the way, or counted by itself
        counts = browse(q="numbers", sort=sort, limit=1).counts
        assert counts == browse(q="numbers", sort=sort, status="blocked").counts
        assert (counts["all"], counts["implemented"], counts["not_implemented"]) == (2, 1, 0)
    assert set(browse(q="letters").counts.values()) == {0}


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
    assert [cell.state for cell in row.cells] == ["failed"]


def test_a_search_finds_signatures_stems_parts_of_names_and_published_code() -> None:
    days = make.function("AddDays", signature="(on: date, days: int) -> date")
    twice = make.function("Twice", description="Repeats a text.")
    make.implementation(days, code="def AddDays(on, days):\n    return on.shifted(days)\n")
    make.test_of(twice, code="assert Twice('ab') == 'abab'")
    make.implementation(twice, state="draft", code="secret_shifted")
    for q, found in {
        "days": ["AddDays"],
        "dday": ["AddDays"],
        "date": ["AddDays"],
        "repeated": ["Twice"],
        "repeated nothing": [],
        "code:on.shift": ["AddDays"],
        "code:SHIFTED": ["AddDays"],
        "code:\"== 'abab'\"": ["Twice"],
        "code:secret": [],
    }.items():
        assert (q, names(browse(q=q))) == (q, found)


def test_filters_ask_for_authors_dependencies_and_needs() -> None:
    add, total = make.function("Add", untested=False), make.function("Total")
    mira = add.owner.username
    work = make.implementation(total, author=add.owner)
    make.dependency(work, "Add", add)
    make.dependency(work, "Gone", None)
    make.dependency(make.implementation(make.function("Later"), state="draft"), "Add", add)
    make.elect(work)
    make.function("Halve", status="blocked", elected=make.implementation(add))
    type(work).objects.filter(pk=work.pk).update(language="javascript")
    for q, found in {
        f"author:{mira}": ["Add", "Total"],
        f"author:{mira.upper()}": ["Add", "Total"],
        f"author:{mira} status:implemented": ["Total"],
        "author:nobody": [],
        "uses:ADD": ["Total"],
        "uses:gone": ["Total"],
        "used-by:total": ["Add"],
        "needs:tests": ["Total"],
        "needs:implementation": ["Add", "Later"],
        "needs:repair": ["Halve"],
        "needs:help": ["Add", "Halve", "Later"],
        "kind:function uses:add": ["Total"],
        "kind:page": [],
        "language:javascript": ["Total"],
        "language:python": ["Halve"],
    }.items():
        assert (q, names(browse(q=q))) == (q, found)
    assert browse(q="needs:love").faults


def test_the_most_used_and_the_last_changed_come_first_page_by_page() -> None:
    for number, (name, used) in enumerate({"A": 3, "B": 7, "C": 3, "D": 0}.items()):
        changed_at = make.SINCE + timedelta(days=min(number, 2))
        make.function(name, dependents=used, changed_at=changed_at)
    for sort, order in {"used": "BCAD", "changed": "DCBA"}.items():
        read, page = "", browse(sort=sort, limit=1)
        while page.next:
            read, page = read + names(page)[0], browse(sort=sort, limit=1, cursor=page.next)
        assert read + names(page)[0] == order
        with pytest.raises(BadCursor):
            browse(sort=sort, cursor="WzksICJhIl0")


def test_missing_names_stand_by_how_many_functions_wait_for_them() -> None:
    for name, missing in {"A": "Less", "B": "More", "C": "more"}.items():
        work = make.implementation(make.function(name))
        make.dependency(work, missing, None)
        make.dependency(make.test_of(work.function), missing, None)
    make.dependency(make.implementation(make.function(), state="draft"), "Draft", None)
    make.dependency(make.implementation(make.function(deleted_at=make.SINCE)), "Dead", None)
    first = wanted_names(limit=1)
    second = wanted_names(limit=1, cursor=first.next or "")
    told = [(row.name, row.waiting) for row in (*first.rows, *second.rows)]
    assert (told, second.next) == ([("More", 2), ("Less", 1)], None)


@pytest.mark.parametrize(
    "cursor", ["!", "e30", "WzFd", "WzksICJhIl0", "[" * 9000, "é", "WzAsICIAIl0"]
)
def test_a_cursor_that_is_none_of_ours_is_refused(cursor: str) -> None:
    with pytest.raises(BadCursor):
        browse(cursor=cursor)


def test_matches_of_the_same_fit_are_listed_by_use_in_pages_that_hold() -> None:
    for name, dependents in (("AddFew", 1), ("AddMany", 9), ("AddNone", 0), ("Add", 0)):
        make.function(name, dependents=dependents)
    found, cursor = [], ""
    while True:
        page = browse(q="add", cursor=cursor, limit=1)
        found += [row.function.name for row in page.rows]
        if not (cursor := page.next or ""):
            break
    assert found == ["Add", "AddMany", "AddFew", "AddNone"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [("Multipy", "Multiply"), ("mulitply", "Multiply"), ("DivdeRound", "DivideRounding")],
)
def test_a_misspelt_name_is_found(typed: str, found: str, client: Client) -> None:
    for name in ("Multiply", "DivideRounding", "Sort"):
        make.function(name)
    assert names_like(typed)[0] == found
    for path in (f"/?q={typed}", f"/functions/{typed}/"):
        page = client.get(path).content.decode()
        assert f'Did you mean <a class="name" href="/functions/{found}/">{found}</a>?' in page


def test_the_search_field_gives_an_example_that_finds_something(client: Client) -> None:
    assert 'placeholder="Words"' in client.get("/").content.decode()
    make.function("Add", dependents=1)
    user = make.implementation(make.function("Double"), author=make.user("mira"))
    add = Function.objects.get(name="Add")
    Function.objects.filter(pk=add.pk).update(owner=make.user("olga"))
    make.dependency(user, "Add", add)
    page = client.get("/").content.decode()
    assert 'placeholder="Words, or author:olga uses:Add"' in page
    for example in ("author:olga", "uses:Add"):
        assert browse(q=example).rows
