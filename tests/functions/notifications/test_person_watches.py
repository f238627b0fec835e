"""Watching people: who is notified of what they define and publish."""

from functools import partial

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from functions.models import Notification, PersonWatch
from functions.notifications import person_watches
from functions.notifications.person_watches import watch_person
from runner.models import FanOut, FollowUp
from runner.pipelines.follow_ups import run_due_follow_ups
from tests.functions.views.conftest import SignedIn, as_person
from tests.support import builders as make
from tests.support.refusals import code_of
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
)

__all__ = ["as_person"]  # a fixture
pytestmark = pytest.mark.django_db(transaction=True)


def watch(person: str, *, by: str, watching: bool = True) -> None:
    watch_person(actor=account(by), person=account(person), watching=watching)


def deliver() -> None:
    """Deliver all notices; elections stay undone."""
    while FollowUp.objects.filter(name="runner.fan_out").exists():
        FollowUp.objects.update(due_at=timezone.now())
        run_due_follow_ups()


def told(name: str) -> list[tuple[str, str]]:
    rows = Notification.objects.filter(user__username=name).order_by("pk")
    return [(row.notice.get_absolute_url(), row.notice.text) for row in rows]


def test_watchers_of_a_person_are_notified_of_all_that_they_publish_while_they_watch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(person_watches, "PAGE", 1)  # so that several pages are read
    for name in ("fay", "gus", "ada"):
        watch("mira", by=name)
    watch("mira", by="ada", watching=False)
    add = define("Add", owner="mira")
    implement(add, constant("Add", 1), author="mira")
    draft_implementation(add, constant("Add", 2), author="mira")
    publish_test(add, "assert Add()")
    implement(add, constant("Add", 3), author="otto")
    watch("mira", by="late")
    deliver()
    published = [
        ("/functions/Add/", "was defined by mira"),
        ("/functions/Add/#I1", "has a new implementation by mira"),
        ("/functions/Add/#T1", "has a new test by mira"),
    ]
    assert {name: told(name) for name in ("fay", "gus", "ada", "late")} == {
        "fay": published,
        "gus": published,
        "ada": [],
        "late": [],
    }


def test_a_publication_costs_the_same_however_many_watch_its_author() -> None:
    costs = []
    add = define("Add", owner="mira")
    implement(add, constant("Add", 0), author="mira")
    for value, watchers in enumerate((0, 1, 30), start=1):
        for _ in range(watchers):
            watch_person(actor=make.user(), person=account("mira"), watching=True)
        with CaptureQueriesContext(connection) as queries:
            implement(add, constant("Add", value), author="mira")
        costs.append(len(queries))
    assert costs[1] == costs[2] <= costs[0] + 12
    assert FanOut.objects.filter(source=person_watches.PERSON_WATCHERS).count() == 2


def test_nobody_watches_themselves_or_without_an_account_or_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mira = account("mira")
    watching = partial(watch_person, person=mira, watching=True)
    assert code_of(partial(watching, actor=mira)) == "yourself"
    assert code_of(partial(watching, actor=AnonymousUser())) == "nobody"
    monkeypatch.setattr(person_watches, "MAX_PEOPLE_WATCHED", 1)
    for _ in range(2):
        watch("mira", by="fay")
    assert code_of(partial(watch, "otto", by="fay")) == "too_many_watches"
    assert PersonWatch.objects.count() == 1


def test_a_person_is_watched_on_their_page_and_listed_among_the_watched(
    as_person: SignedIn,
) -> None:
    fay, mira = as_person("fay"), as_person("mira")
    assert "/people/mira/watch/" not in mira.get("/people/mira/").content.decode()
    assert fay.post("/people/mira/watch/", {"watching": "yes"})["Location"] == "/people/mira/"
    assert 'value="no" aria-pressed="true"' in fay.get("/people/mira/").content.decode()
    assert "/people/mira/watch/" in fay.get("/notifications/watched/").content.decode()
    for number in range(2):
        implement(define(f"Add{number}"), constant(f"Add{number}", 1), author="mira")
    deliver()
    assert "1 more like this" in fay.get("/notifications/").content.decode()
    unwatched = fay.post("/people/mira/watch/", {"watching": "no", "next": "watched"})
    assert unwatched["Location"] == "/notifications/watched/"
    assert "/people/mira/watch/" not in fay.get("/notifications/watched/").content.decode()
