"""The work that helps others most, with everything needed to begin."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.read_models.application_needs import Task
from functions.read_models.help_wanted import SLOW_CPU_US, Failure, help_wanted
from tests.support import builders as make

pytestmark = pytest.mark.django_db


def in_short(**query: Task | int | None) -> list[tuple[str, str, int]]:
    return [(str(one.need.task), one.function, one.helps) for one in help_wanted(**query)]  # type: ignore[arg-type]


@pytest.fixture
def library() -> None:
    """One function of each kind of work, and one that needs nothing."""
    for name in ("Ready", "Slow", "Untested", "Weak", "Contested"):
        function = make.function(name, dependents=len(name))
        cpu_us = SLOW_CPU_US if name == "Slow" else SLOW_CPU_US - 1
        current = make.implementation(function, cpu_us=cpu_us)
        make.elect(current, untested=name == "Untested")
        for _ in range({"Untested": 0, "Weak": 1}.get(name, 2)):
            make.test_of(function)
        if name == "Contested":
            challenge = make.test_of(function, counts=False, standing_cause="", number=7)
            make.cell(current, challenge, "failed")
            passed = make.test_of(function, counts=False, standing_cause="", number=8)
            make.cell(current, passed, "passed")
    make.function("Empty", dependents=2, signature="(a, b)", description="Not there yet.")
    make.function("Stuck", dependents=1, status="blocked", blocked_by="Gone")
    make.function("Judged", dependents=9, judging=True)
    user = make.implementation(make.function("User", archived_at=make.SINCE), code="Gone(1, x)")
    make.dependency(user, "Gone", None)
    make.dependency(make.implementation(make.function("Draft"), state="draft"), "Unseen", None)


@pytest.mark.usefixtures("library")
def test_what_helps_most_functions_comes_first() -> None:
    assert in_short() == [
        ("meet_challenge", "Contested", 9),
        ("test", "Untested", 8),
        ("test_more", "Weak", 4),
        ("speed_up", "Slow", 4),
        ("implement", "Empty", 3),
        ("unblock", "Stuck", 2),
        ("define", "Gone", 1),
        ("implement", "Draft", 1),
    ]
    assert in_short(limit=2) == in_short()[:2]
    assert in_short(task=Task.IMPLEMENT) == [("implement", "Empty", 3), ("implement", "Draft", 1)]


@pytest.mark.usefixtures("library")
def test_an_undefined_name_comes_with_its_uses_and_a_guessed_signature() -> None:
    (gone,) = help_wanted(task=Task.DEFINE)
    assert (gone.signature, gone.status, gone.operation) == (
        "(a, x)",
        "missing",
        "POST /api/v1/functions/",
    )
    assert [(use.function, use.code) for use in gone.uses] == [("User", "Gone(1, x)")]


def test_what_failed_comes_with_the_code_and_the_reasons() -> None:
    function = make.function("Empty", signature="(a)", description="Halves.")
    worse = make.implementation(function, passed=1, code="worse", standing="failing")
    best = make.implementation(function, passed=2, code="best", standing="failing")
    aside = make.test_of(function, counts=False, code="aside")
    counting = make.test_of(function, code="counting")
    make.implementation(function, state="draft")
    make.test_of(function, state="withdrawn")
    make.cell(best, counting, "failed", message="expected 2, got 3", line=4)
    make.cell(best, aside, "failed")
    make.cell(worse, None, "error", message="no such name", line=1)
    make.cell(worse, counting, "failed", result_key=make.digest("an older program"))
    (found,) = help_wanted(task=Task.IMPLEMENT)
    assert (found.signature, found.description) == ("(a)", "Halves.")
    assert [(test.code, test.counts) for test in found.tests] == [
        ("counting", True),
        ("aside", False),
    ]
    assert [(work.code, work.failures) for work in found.implementations] == [
        ("best", (Failure(counting.pk, "failed", "expected 2, got 3", 4),)),
        ("worse", (Failure(None, "error", "no such name", 1),)),
    ]


@pytest.mark.usefixtures("library")
def test_the_number_of_queries_does_not_grow() -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            help_wanted(limit=50)
        return len(captured)

    before = queries()
    for _ in range(20):
        function = make.function(dependents=3)
        make.implementation(function)
        make.test_of(function)
    assert queries() == before


@pytest.mark.usefixtures("library")
def test_page_and_api_show_the_same() -> None:
    client = Client()
    answer = client.get("/api/v1/help-wanted/?limit=50").json()
    assert [(one["task"], one["function"], one["helps"]) for one in answer["items"]] == in_short()
    text = client.get("/help-wanted/").content.decode()
    places = [text.index(f'href="/functions/{name}/"') for _, name, _ in in_short()]
    assert places == sorted(places)
    assert client.get("/api/v1/help-wanted/?task=sleep").status_code == 400
