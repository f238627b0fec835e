"""A function that goes: what names it is blocked at once, what runs for it stops, records stay."""

import pytest
from django.test import Client

from functions.authoring import copy, delete_function, publish, run_draft
from functions.errors import NotFound
from functions.models import Cell, Dependency, Function, Implementation, Test, Work
from runner.models import Execution, Result
from runner.states import State
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.threads import run_together
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    draft_test,
    implement,
    publish_test,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_dependents_are_blocked_and_mended_when_it_comes_back(worker: Drainer) -> None:
    base, top = define("Base"), define("Top")
    implement(base, constant("Base", 1))
    work = implement(top, "# <<Base>>\n" + constant("Top", 1))
    worker.drain()
    delete_function(actor=account("olga"), function=base)
    worker.drain()
    top.refresh_from_db()
    work.refresh_from_db()
    assert (top.status, top.blocked_by, top.elected) == ("blocked", "Base", work)
    assert work.standing_reason == "blocked: Base does not exist"
    executed = Execution.objects.count()
    implement(define("Base"), constant("Base", 1))
    worker.drain()
    top.refresh_from_db()
    assert (top.status, top.blocked_by) == ("implemented", "")
    assert Execution.objects.count() == executed


def test_what_waits_to_run_for_it_is_cancelled_and_its_batches_end(worker: Drainer) -> None:
    base = define("Base")
    publish_test(base, "assert Base() == 1")
    implement(base, constant("Base", 1))
    delete_function(actor=account("olga"), function=base)
    worker.drain()
    assert set(Execution.objects.values_list("state", flat=True)) == {State.CANCELLED}
    assert not Result.objects.exists()
    assert all_batches_end()
    assert Implementation.objects.get().code == constant("Base", 1)


def test_runs_of_its_drafts_are_cancelled_with_it(worker: Drainer) -> None:
    base = define("Base")
    publish_test(base, "assert Base() == 1")
    other = draft_implementation(define("Other"), constant("Other", 1))
    drafts: list[Implementation | Test] = [draft_implementation(base, constant("Base", 1)), other]
    for draft in (*drafts, draft_test(base, "Base()")):
        run_draft(actor=draft.author, draft=draft)
    delete_function(actor=account("olga"), function=base)
    worker.drain()
    assert all_batches_end()
    assert Result.objects.count() == 1  # the other's


def test_one_deleted_amid_its_batch_disturbs_nothing_else(worker: Drainer) -> None:
    base, other = define("Base"), define("Other")
    for number in range(12):
        publish_test(
            base, f"total = 0\nfor n in range(30000): total += n\nassert Base() > {number}"
        )
    publish_test(other, "assert Other() == 1")
    implement(base, constant("Base", 100))
    kept = implement(other, constant("Other", 1))

    def drain_or_delete(what: str) -> None:
        if what == "delete":
            delete_function(actor=account("olga"), function=base)
        else:
            worker.drain()

    run_together(drain_or_delete, ["drain", "delete"])
    worker.drain()
    other.refresh_from_db()
    assert other.elected == kept
    assert all_batches_end()
    open_states = (State.PENDING, State.IN_PROGRESS, State.FAILED)
    assert not Execution.objects.filter(state__in=open_states).exists()
    assert Function.objects.get(pk=base.pk).deleted_at is not None


def test_records_of_its_runs_stay(worker: Drainer) -> None:
    base = define("Base")
    implement(base, constant("Base", 1))
    worker.drain()
    delete_function(actor=account("olga"), function=base)
    worker.drain()
    assert Result.objects.count() == 1
    assert Cell.objects.get().verdict == "passed"


def test_naming_it_while_it_is_deleted_leaves_no_dangling_dependency(worker: Drainer) -> None:
    base, top = define("Base"), define("Top")
    implement(base, constant("Base", 1))

    def name_or_delete(what: str) -> None:
        if what == "delete":
            delete_function(actor=account("olga"), function=base)
        else:
            implement(top, "# <<Base>>\n" + constant("Top", 1))

    run_together(name_or_delete, ["name", "delete"])
    worker.drain()
    assert Dependency.objects.get().target is None
    assert Implementation.objects.get(function=top).standing == "blocked"


def test_naming_it_while_it_is_defined_binds_it(worker: Drainer) -> None:
    top = define("Top")

    def name_or_define(what: str) -> None:
        if what == "define":
            define("Base")
        else:
            implement(top, "# <<Base>>\n" + constant("Top", 1))

    run_together(name_or_define, ["name", "define"])
    worker.drain()
    assert Dependency.objects.get().target == Function.objects.get(name="Base")
    reason = Implementation.objects.get().standing_reason
    assert reason == "blocked: Base is not implemented"


def test_drafts_of_a_deleted_function_stay_their_authors_to_read_and_save(client: Client) -> None:
    base = define("Base")
    draft = draft_implementation(base, "first", author="ida")
    delete_function(actor=account("olga"), function=base)
    client.force_login(account("ida"))
    path = f"/drafts/implementation/{draft.pk}/"
    assert path in client.get("/drafts/").content.decode()
    page = client.get(path).content.decode()
    assert "Base was deleted." in page
    assert 'href="/functions/new/?name=Base"' in page
    client.post(path, {"code": "second", "title": "", "version": 0})
    draft.refresh_from_db()
    assert draft.code == "second"
    for action in ("run/", "publish/"):
        typed = {"code": constant("Base", 1), "title": ""}
        answer = client.post(path + action, typed, headers={"Accept": "application/json"})
        assert (answer.status_code, answer.json()["code"]) == (409, "function_deleted")
    client.force_login(account("eve"))
    assert client.get(path).status_code == 404


def test_drafts_follow_to_the_function_that_is_defined_under_the_name_again() -> None:
    base, other = define("Base"), define("Other")
    work = implement(base, constant("Base", 1))
    drafts = [draft_implementation(base, constant("base", 1)), copy(actor=work.author, work=work)]
    test, stays = draft_test(base, "assert base() == 1"), draft_test(other, "assert Other()")
    delete_function(actor=account("olga"), function=base)
    again = define("base")
    for draft in (*drafts, work):
        draft.refresh_from_db()
    test.refresh_from_db()
    stays.refresh_from_db()
    assert [draft.function for draft in drafts] == [again, again]
    assert (test.function, work.function, stays.function) == (again, base, other)
    assert drafts[1].based_on is None
    publish(actor=drafts[0].author, draft=drafts[0])
    drafts[0].refresh_from_db()
    assert (drafts[0].state, drafts[0].number) == (Work.State.PUBLISHED, 1)


def test_a_draft_begun_while_its_function_goes_and_comes_back_belongs_to_one_that_is_there() -> (
    None
):
    base = define("Base")

    def begin_or_replace(what: str) -> None:
        if what == "replace":
            delete_function(actor=account("olga"), function=base)
            define("Base")
            return
        for _ in range(20):
            try:
                draft_implementation(base, "x = 1")
            except NotFound:
                return

    run_together(begin_or_replace, ["begin", "replace"])
    assert not Implementation.objects.exclude(function__deleted_at=None).exists()
