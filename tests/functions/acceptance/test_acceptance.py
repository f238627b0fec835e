"""Acceptance tests: what a dependent wants of what is current; they warn, and bar nothing."""

import pytest

from functions.acceptance import (
    discard_acceptance_test,
    publish_acceptance_test,
    save_acceptance_test,
    start_acceptance_test,
    withdraw_acceptance_test,
)
from functions.authoring import delete_function, withdraw
from functions.errors import Refusal
from functions.maintenance.verification import find_differences
from functions.models import AcceptanceTest, Function
from functions.previews import preview_publishing
from functions.read_models.acceptance import acceptance_panel, acceptance_test_for
from functions.read_models.preview import preview_page
from functions.runs import cancel_run
from runner.models import Batch, Event, Execution
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.refusals import code_of
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
    vote,
)

pytestmark = pytest.mark.django_db(transaction=True)

BETA = "# <<Alpha>>\ndef Beta():\n    return Alpha() + 1\n"


def accept(function: Function, target: str, code: str) -> AcceptanceTest:
    """Write an acceptance test as its function's owner, and publish it."""
    test = start_acceptance_test(
        actor=function.owner, function=function, target=target, code=code, title="as we need it"
    )
    return publish_acceptance_test(actor=function.owner, test=test)


def said(test: AcceptanceTest) -> tuple[str, str]:
    test.refresh_from_db()
    return test.verdict, test.asleep


def test_it_follows_what_is_current_and_bars_nothing(worker: Drainer) -> None:
    alpha, beta = define("Alpha", owner="ann"), define("Beta", owner="ben")
    one = implement(alpha, constant("Alpha", 1))
    publish_test(beta, "assert Beta()")
    own = implement(beta, BETA)
    worker.drain()
    test = accept(beta, "Alpha", "assert Alpha() == 1 and Beta() == 2")
    assert said(test) == ("", "")
    worker.drain()
    assert said(test) == ("passed", "")
    executed = Execution.objects.count()

    # What is current changes: it warns on both pages, and nobody is barred.
    two = implement(alpha, constant("Alpha", 2))
    worker.drain()
    assert said(test)[0] == "failed"
    alpha.refresh_from_db()
    assert alpha.elected == two
    assert acceptance_panel(alpha, account("eve")).failing == 1
    assert acceptance_panel(beta, account("eve")).failing_own == 1
    assert list(find_differences()) == []
    assert Event.objects.filter(type="acceptance.changed", topic__name=alpha.topic).exists()

    # What was run before is not run again; nor is it run when nothing of it has changed.
    assert Execution.objects.count() == executed + 4  # the new one, Beta's two and the test
    vote(one, up="nora")
    worker.drain()
    assert said(test)[0] == "passed"
    publish_test(alpha, "assert Alpha()")
    worker.drain()
    assert Batch.objects.filter(topic__name=test.topic).count() == 3

    # The dependent's closure is in it.
    implement(beta, BETA.replace("+ 1", "+ 2"))
    worker.drain()
    assert said(test)[0] == "failed"
    withdraw(actor=own.author, work=beta.implementations.latest("pk"))
    worker.drain()
    assert said(test)[0] == "passed"
    assert list(find_differences()) == []
    AcceptanceTest.objects.update(verdict="failed")
    (wrong,) = find_differences()
    assert "expected 'passed'" in wrong
    withdraw_acceptance_test(actor=account("ben"), test=test)
    assert acceptance_panel(alpha, account("ben")).of_it == ()
    assert all_batches_end()


def test_it_sleeps_while_it_cannot_mean_anything(worker: Drainer) -> None:
    alpha, beta = define("Alpha", owner="ann"), define("Beta", owner="ben")
    one = implement(alpha, constant("Alpha", 1))
    implement(beta, BETA)
    worker.drain()
    test = accept(beta, "Alpha", "assert Alpha() == 1")
    worker.drain()
    other = implement(beta, constant("Beta", 2))
    worker.drain()
    assert said(test) == ("", "Beta does not use Alpha")
    withdraw(actor=other.author, work=other)
    worker.drain()
    assert said(test) == ("passed", "")
    withdraw(actor=one.author, work=one)
    worker.drain()
    assert said(test) == ("", "Alpha has no current implementation")
    delete_function(actor=account("ann"), function=alpha)
    worker.drain()
    assert said(test) == ("", "Alpha was deleted")
    implement(define("Alpha", owner="ann"), constant("Alpha", 3))
    worker.drain()
    assert said(test) == ("failed", "")
    assert all_batches_end()
    assert list(find_differences()) == []
    AcceptanceTest.objects.update(asleep="so", key=None)
    assert "its program is outdated" in next(find_differences())
    again = accept(beta, "Alpha", "assert Alpha() == 4")
    cancel_run(actor=account("root", is_staff=True), batch=Batch.objects.latest("pk"))
    again.refresh_from_db()
    assert again.given_up


def test_whatever_it_marks_has_it_looked_at_again(worker: Drainer) -> None:
    alpha, beta = define("Alpha", owner="ann"), define("Beta", owner="ben")
    implement(alpha, constant("Alpha", 1))
    implement(beta, BETA)
    worker.drain()
    test = accept(beta, "Alpha", "# <<Extra>>\nassert Alpha() == Extra()")
    assert said(test) == ("", "Extra does not exist")
    extra = define("Extra")
    worker.drain()
    assert said(test) == ("", "Extra has no current implementation")
    implement(extra, constant("Extra", 1))
    worker.drain()
    assert said(test) == ("passed", "")
    implement(extra, constant("Extra", 2))
    worker.drain()
    assert said(test) == ("failed", "")
    assert list(find_differences()) == []
    delete_function(actor=account("olga"), function=extra)
    worker.drain()
    assert said(test) == ("", "Extra does not exist")
    assert list(find_differences()) == []


def test_a_preview_tells_which_would_fail(worker: Drainer) -> None:
    alpha, beta = define("Alpha", owner="ann"), define("Beta", owner="ben")
    implement(alpha, constant("Alpha", 1))
    implement(beta, BETA)
    worker.drain()
    test = accept(beta, "Alpha", "assert Alpha() == 1")
    draft = draft_implementation(alpha, constant("Alpha", 5))
    worker.drain()
    preview = preview_publishing(actor=draft.author, draft=draft)
    worker.drain()
    page = preview_page(preview.pk, draft.author)
    assert page is not None
    (row,) = page.acceptance
    assert (row.id, row.function, row.before, row.verdict) == (test.pk, "Beta", "passed", "failed")
    assert [str(effect.outcome) for effect in page.effects] == ["stays"]
    assert said(test) == ("passed", "")


def test_it_is_written_by_the_dependents_owner_alone(worker: Drainer) -> None:
    alpha, beta = define("Alpha", owner="ann"), define("Beta", owner="ben")
    implement(alpha, constant("Alpha", 1))
    implement(beta, BETA)
    worker.drain()
    ben, ann = account("ben"), account("ann")

    assert code_of(start_acceptance_test, actor=ann, function=beta, target="Alpha") == ("not_yours")
    assert code_of(start_acceptance_test, actor=ann, function=alpha, target="Beta") == (
        "not_a_dependency"
    )
    test = start_acceptance_test(actor=ben, function=beta, target="alpha", code="assert (")
    assert acceptance_test_for(test.pk, ann) is None
    assert acceptance_test_for(test.pk, ben) == test
    assert code_of(publish_acceptance_test, actor=ben, test=test) == "syntax_error"
    for act in (publish_acceptance_test, discard_acceptance_test, withdraw_acceptance_test):
        assert code_of(act, actor=ann, test=test) == "not_yours"
    assert code_of(withdraw_acceptance_test, actor=ben, test=test) == "not_published"
    save_acceptance_test(actor=ben, test=test, code="assert Alpha()", title="t")
    publish_acceptance_test(actor=ben, test=test)
    assert acceptance_test_for(test.pk, ann) == test
    assert code_of(save_acceptance_test, actor=ben, test=test, code="", title="") == "not_a_draft"
    assert code_of(discard_acceptance_test, actor=ben, test=test) == "not_a_draft"


def test_a_name_that_one_calls_is_guarded() -> None:
    alpha, beta = define("Alpha", owner="ann"), define("Beta", owner="ben")
    own = implement(beta, BETA)
    test = accept(beta, "Alpha", "assert Alpha() == 1")
    withdraw(actor=own.author, work=own)
    delete_function(actor=account("ann"), function=alpha)
    with pytest.raises(Refusal) as refused:
        define("Alpha", owner="eve")
    assert refused.value.code == "name_guarded"
    withdraw_acceptance_test(actor=account("ben"), test=test)
    assert define("Alpha", owner="eve")
