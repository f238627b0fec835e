"""A function that goes: what names it is blocked at once, what runs for it stops, records stay."""

import pytest

from functions.authoring import delete_function
from functions.models import Cell, Dependency, Function, Implementation
from runner.execution import Drainer
from runner.models import Execution, Result
from runner.states import State
from tests.functions.ending import all_batches_end
from tests.functions.threads import run_together
from tests.functions.writing import account, constant, define, implement, publish_test

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
    assert work.standing_reason == "blocked by Base, which is missing"
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
    assert reason == "blocked by Base, which is not implemented"
