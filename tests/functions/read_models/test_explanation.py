"""Why is this current? As it really comes about: published, run, elected, asked."""

import pytest
from django.db import transaction

from functions.authoring import withdraw
from functions.contests.evaluation import RECONCILE
from functions.elections.reconciler import reconcile
from functions.elections.triggers import read_trigger, record_election
from functions.models import Function, Implementation
from functions.moderation.acceptability import judge_work
from functions.read_models.elections import ElectionRow, election_list
from functions.read_models.explanation import WhyPage, why_page
from runner.batches.submission import submit_batch
from runner.models import FollowUp
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.works import account, constant, define, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)


def settled(worker: Drainer) -> None:
    worker.drain()
    assert all_batches_end()


def history(function: Function) -> list[ElectionRow]:
    return list(election_list(function).rows)


def label(row: ElectionRow) -> tuple[int | None, int | None]:
    return (
        row.previous.number if row.previous else None,
        row.elected.number if row.elected else None,
    )


def outcomes(page: WhyPage) -> dict[str, str]:
    return {one.label: one.why_not for one in page.candidates}


def test_every_candidate_is_told_what_became_of_it_and_why(worker: Drainer) -> None:
    add = define("Add")
    first = implement(add, "def Add():\n    return 1\n")
    implement(add, "def Add():\n    return  1\n")
    implement(add, first.code, author="eve")
    implement(add, constant("Add", 2))
    implement(add, "# <<Gone>>\n" + constant("Add", 1))
    implement(add, "def Sub():\n    return 1\n")
    rejected = implement(add, constant("Add", 1) + "# mine\n")
    gone = implement(add, constant("Add", 1) + "# gone\n")
    counting = publish_test(add, "assert Add() == 1")
    broken = publish_test(add, "# <<Gone>>\nassert Add() == 1")
    judge_work(actor=account("olga"), work=rejected, acceptable=False, reason="It guesses.")
    withdraw(actor=gone.author, work=gone)
    vote(first, up="ann bob", down="cem")
    settled(worker)
    page = why_page(add)
    assert page.current is not None
    assert (page.current.label, page.current.score, page.current.up, page.current.down) == (
        *("#1", 1),
        *(2, 1),
    )
    assert page.ruling.rule == "highest_score"
    assert page.candidates[0] == page.current
    assert outcomes(page) == {
        "#1": "",
        "#2": "eligible, but its score is 0; #1 has 1",
        "#3": "the same code as #1",
        "#4": "does not pass T1",
        "#5": "blocked: Gone does not exist",
        "#6": outcomes(page)["#6"],
        "#7": "marked unacceptable by the owner",
    }
    assert outcomes(page)["#6"].startswith("does not load: ")
    by_label = {one.label: one for one in page.candidates}
    (failed,) = by_label["#4"].failed
    assert (failed.test.id, failed.verdict) == (counting.pk, "failed")
    assert [trial.test.id for trial in page.current.passed] == [counting.pk]
    assert [(link.name, link.status) for link in by_label["#5"].through] == [("Gone", "missing")]
    assert by_label["#7"].owner_reason == "It guesses."
    assert [str(work) for work in page.withdrawn] == ["#8"]
    seen = {test.id: test.why_not for test in page.tests}
    assert seen == {counting.pk: "", broken.pk: "broken: Gone does not exist"}


def test_the_history_says_by_what_the_current_one_changed(worker: Drainer) -> None:
    add = define("Add")
    one = implement(add, constant("Add", 1), author="ida")
    settled(worker)
    two = implement(add, constant("Add", 2), author="eve")
    settled(worker)
    vote(one, up="ann")
    settled(worker)
    test = publish_test(add, "assert Add() == 2")
    settled(worker)
    judge_work(actor=account("olga"), work=test, acceptable=False, reason="wrong")
    settled(worker)
    withdraw(actor=one.author, work=one)
    settled(worker)
    rows = history(add)[::-1]
    assert [(label(row), row.cause, row.by) for row in rows] == [
        ((None, 1), "implementation #1 published", "ida"),
        ((1, 2), "implementation #2 published", "eve"),
        ((2, 1), "votes on implementation #1: +1, to 1", ""),
        ((1, 2), "test T1 published", "olga"),
        ((2, 1), "test T1 marked unacceptable by olga", ""),
        ((1, 2), "implementation #1 withdrawn", "ida"),
    ]
    assert all(row.run for row in rows if row.by)
    assert all(row.origin == "" for row in rows)
    assert rows[-1].elected is not None
    assert rows[-1].elected.id == two.pk


def test_in_a_cascade_the_history_leads_back_to_where_it_began(worker: Drainer) -> None:
    base, middle, top = define("Base"), define("Middle"), define("Top")
    one = implement(base, constant("Base", 1), author="ida")
    implement(middle, "# <<Base>>\ndef Middle():\n    return Base()\n")
    code = "# <<Middle>>\ndef Top():\n    assert Middle() == {}\n"
    publish_test(top, "Top()")
    for number in (1, 2):
        implement(top, code.format(number))
    settled(worker)
    assert Function.objects.get(pk=top.pk).elected == Implementation.objects.get(
        function=top, number=1
    )
    two = implement(base, constant("Base", 2), author="eve")
    settled(worker)
    last = history(top)[0]
    assert label(last) == (1, 2)
    assert (last.cause, last.origin, last.origin_cause, last.by) == (
        "Middle changed",
        "Base",
        "implementation #2 published",
        "eve",
    )
    vote(one, up="ann")
    assert two.score == 0
    settled(worker)
    last = history(top)[0]
    assert (label(last), last.origin, last.origin_cause) == (
        (2, 1),
        "Base",
        "votes on implementation #1: +1, to 1",
    )


def test_nobody_is_named_for_a_cause_that_is_not_their_runs() -> None:
    """A run of one's own may be open when something else decides."""
    top = define("Top")
    work = implement(top, constant("Top", 1))
    with transaction.atomic():
        published = submit_batch(
            topic=top.topic, programs=[], cause="implementation #1 published", owner=account("ida")
        )
        child = submit_batch(topic=top.topic, programs=[], cause="Base changed", parent=published)
    for batch, arguments in ((published, {}), (child, {}), (child, {"cause": "Low changed"})):
        row = FollowUp(name=RECONCILE, target=str(top.pk), batch=batch, arguments=arguments)
        record_election(top, work.pk, read_trigger([row, row]))
    assert [(row.cause, row.by, row.run) for row in history(top)] == [
        ("Low changed", "", child.pk),
        ("Base changed", "", child.pk),
        ("implementation #1 published", "ida", published.pk),
    ]


def test_what_came_while_others_were_judged_is_among_the_causes(worker: Drainer) -> None:
    add = define("Add")
    one = implement(add, constant("Add", 1))
    two = implement(add, constant("Add", 2))
    settled(worker)
    assert label(history(add)[0]) in ((None, 2), (1, 2))
    test = publish_test(add, "assert Add() < 2 or Add() > 2")
    with transaction.atomic():
        reconcile({str(add.pk): _due(add)})
    vote(one, up="ann")
    with transaction.atomic():
        reconcile({str(add.pk): _due(add)})
    settled(worker)
    last = history(add)[0]
    assert (label(last), last.cause) == (
        (2, 1),
        "test T1 published; votes on implementation #1: +1, to 1",
    )
    add.refresh_from_db()
    assert (add.due_to, add.judging) == ("", False)
    assert {test.function, two.function} == {add}


def _due(function: Function) -> list[FollowUp]:
    """Take the follow-ups that are due for a function, as who calls them does."""
    rows = FollowUp.objects.filter(name=RECONCILE, target=str(function.pk)).order_by("pk")
    due = list(rows.select_related("batch"))
    rows.delete()
    return due
