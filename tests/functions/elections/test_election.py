"""Elections as they really happen: published, run in the sandbox, recorded, decided."""

import pytest

from functions.authoring import delete_function, run_draft, withdraw
from functions.elections import reconciler
from functions.errors import Refusal
from functions.maintenance.verification import find_differences
from functions.models import Cell, Election, Function, Implementation, Test
from functions.moderation.acceptability import judge_work
from functions.read_models.cells import load_matrix
from runner.models import Batch, Event, Execution, Task
from runner.states import BatchState
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
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


def settled(worker: Drainer) -> None:
    """Execute and elect until nothing is left, and check that all is as the rules say."""
    worker.drain()
    assert list(find_differences()) == []
    assert all_batches_end()


def fresh(row: Function) -> Function:
    return Function.objects.select_related("elected").get(pk=row.pk)


def standing(work: Implementation) -> tuple[str, str]:
    work.refresh_from_db()
    return work.standing, work.standing_reason


def health(work: Test) -> tuple[str, str, bool]:
    work.refresh_from_db()
    return work.health, work.reason, work.counts


def test_the_only_implementation_that_passes_is_elected(worker: Drainer) -> None:
    add = define("Add")
    publish_test(add, "assert Add(2, 3) == 5")
    wrong = implement(add, constant("Add", 6))
    right = implement(add, "def Add(a, b):\n    return a + b\n")
    settled(worker)
    add = fresh(add)
    assert add.elected == right
    assert (add.status, add.untested, add.judging) == (Function.Status.IMPLEMENTED, False, False)
    assert standing(right) == ("eligible", "")
    assert (right.passed, right.counting) == (1, 1)
    assert right.cpu_us is not None
    assert standing(wrong) == ("failing", "does not pass T1")
    assert Election.objects.get().elected == right


def test_votes_decide_between_those_that_pass_and_execute_nothing(worker: Drainer) -> None:
    add = define("Add")
    older = implement(add, constant("Add", 1))
    newer = implement(add, constant("Add", 1) + "# the newer\n")
    settled(worker)
    assert fresh(add).elected == newer
    executed = Execution.objects.count()
    vote(older, up="ann")
    settled(worker)
    assert fresh(add).elected == older
    assert Election.objects.latest("id").cause == "votes on implementation #1: +1, to 1"
    vote(newer, up="ann")
    settled(worker)
    assert fresh(add).elected == newer
    assert Execution.objects.count() == executed


def test_publishing_the_same_content_again_executes_nothing(worker: Drainer) -> None:
    add = define("Add")
    publish_test(add, "assert Add() == 1")
    implement(add, constant("Add", 1))
    settled(worker)
    executed = Execution.objects.count()
    again = implement(add, constant("Add", 1).replace("\n", "\r\n"), author="eve")
    settled(worker)
    assert Execution.objects.count() == executed
    tasks = Task.objects.filter(batch=Batch.objects.latest("id"))
    assert tasks.count() == 2
    assert not tasks.filter(executed=True).exists()
    assert standing(again) == ("duplicate", "the same code as #1")
    assert Cell.objects.filter(implementation=again, verdict="passed").count() == 2


def test_a_bad_test_is_voted_down_and_takes_no_library_along(worker: Drainer) -> None:
    add = define("Add")
    right = implement(add, constant("Add", 1))
    bad = publish_test(add, "assert Add() == 2")
    settled(worker)
    assert fresh(add).elected is None
    vote(bad, down="ann")
    settled(worker)
    assert fresh(add).elected == right
    assert fresh(add).untested
    judge_work(actor=account("olga"), work=bad, acceptable=True)
    settled(worker)
    assert fresh(add).elected is None


def test_the_owner_has_the_last_word_on_what_is_acceptable(worker: Drainer) -> None:
    add = define("Add")
    one = implement(add, constant("Add", 1))
    other = implement(add, constant("Add", 2))
    vote(one, up="ann bob")
    settled(worker)
    assert fresh(add).elected == one
    judge_work(actor=account("olga"), work=one, acceptable=False, reason="unkind")
    settled(worker)
    assert fresh(add).elected == other
    assert standing(one) == ("unacceptable", "the owner marked it unacceptable")


def test_withdrawn_work_is_kept_and_no_candidate(worker: Drainer) -> None:
    add = define("Add")
    one = implement(add, constant("Add", 1))
    settled(worker)
    withdraw(actor=one.author, work=one)
    settled(worker)
    assert (fresh(add).elected, fresh(add).status) == (None, "not_implemented")
    one.refresh_from_db()
    assert (one.state, one.code) == ("withdrawn", constant("Add", 1))


def test_code_that_does_not_load_is_told_apart_from_code_that_fails(worker: Drainer) -> None:
    add = define("Add")
    other_name = implement(add, constant("Sum", 1))
    raising = implement(add, "raise ValueError('no')\n")
    forbidden = implement(add, "import socket\ndef Add():\n    return 1\n")
    settled(worker)
    assert standing(other_name)[0] == "not_loading"
    assert "Add" in standing(other_name)[1]
    assert standing(raising) == ("not_loading", "ValueError: no")
    assert standing(forbidden)[0] == "not_loading"
    assert fresh(add).status == "not_implemented"


def test_what_relies_on_something_missing_is_blocked_not_failed(worker: Drainer) -> None:
    double = define("Double")
    work = implement(double, "# <<Add>>\ndef Double(a):\n    return Add(a, a)\n")
    asking = publish_test(double, "assert Double(2) == 4 # <<Half>>")
    settled(worker)
    assert standing(work) == ("blocked", "blocked: Add does not exist")
    assert health(asking) == ("broken", "Half does not exist", False)
    assert not Execution.objects.exists()
    add = define("Add")
    settled(worker)
    assert standing(work) == ("blocked", "blocked: Add is not implemented")
    implement(add, "def Add(a, b):\n    return a + b\n")
    settled(worker)
    assert standing(work) == ("eligible", "")
    assert fresh(double).status == "implemented"
    assert (fresh(double).untested, health(asking)[0]) == (True, "broken")


def test_a_change_of_the_elected_one_travels_to_all_dependents(worker: Drainer) -> None:
    base, middle, top = define("Base"), define("Middle"), define("Top")
    implement(middle, "# <<Base>>\ndef Middle():\n    return Base() + 1\n")
    implement(top, "# <<Middle>>\ndef Top():\n    return Middle() + 1\n")
    publish_test(top, "assert Top() == 3")
    one = implement(base, constant("Base", 1))
    settled(worker)
    assert fresh(top).status == "implemented"
    other = implement(base, constant("Base", 5))
    root = Batch.objects.latest("id")
    settled(worker)
    assert fresh(base).elected == other
    assert fresh(top).status == "not_implemented"
    root.refresh_from_db()
    assert root.children.count() > 0
    assert root.finished_at is not None
    assert not root.children.filter(finished_at__gt=root.finished_at).exists()
    executed = Execution.objects.count()
    vote(one, up="ann")
    settled(worker)
    assert fresh(base).elected == one
    assert fresh(top).status == "implemented"
    assert Execution.objects.count() == executed


def test_blocked_functions_say_by_what_and_keep_their_choice(worker: Drainer) -> None:
    base, middle, top = define("Base"), define("Middle"), define("Top")
    only = implement(base, constant("Base", 1))
    implement(middle, "# <<Base>>\n" + constant("Middle", 1))
    choice = implement(top, "# <<Middle>>\n" + constant("Top", 1))
    settled(worker)
    withdraw(actor=only.author, work=only)
    settled(worker)
    for function in (fresh(middle), fresh(top)):
        assert (function.status, function.blocked_by) == ("blocked", "Base")
    assert fresh(top).elected == choice
    assert standing(choice) == ("blocked", "blocked: Base is not implemented")


def test_an_implementation_that_would_close_a_circle_is_circular(worker: Drainer) -> None:
    even, odd = define("Even"), define("Odd")
    plain = implement(even, constant("Even", 1))
    implement(odd, "# <<Even>>\n" + constant("Odd", 1))
    settled(worker)
    executed = Execution.objects.count()
    closing = implement(even, "# <<Odd>>\n" + constant("Even", 1))
    vote(closing, up="ann bob")
    settled(worker)
    assert standing(closing) == ("circular", "through Odd")
    assert fresh(even).elected == plain
    assert Execution.objects.count() == executed


def test_a_function_that_calls_itself_is_no_circle(worker: Drainer) -> None:
    factorial = define("Factorial")
    publish_test(factorial, "assert Factorial(5) == 120")
    code = "def Factorial(n):\n    return n * Factorial(n - 1) if n else 1\n"
    work = implement(factorial, code)
    settled(worker)
    assert standing(work) == ("eligible", "")
    assert (fresh(factorial).elected, fresh(factorial).circle) == (work, [])


def test_of_two_that_would_close_a_circle_together_one_is_refused(worker: Drainer) -> None:
    even, odd = define("Even"), define("Odd")
    implement(even, constant("Even", 1))
    implement(odd, constant("Odd", 1))
    settled(worker)
    closers = [
        implement(even, "# <<Odd>>\n" + constant("Even", 1)),
        implement(odd, "# <<Even>>\n" + constant("Odd", 1)),
    ]
    for closer in closers:
        vote(closer, up="ann bob")
    settled(worker)
    assert sorted(standing(closer)[0] for closer in closers) == ["circular", "eligible"]
    assert {fresh(even).status, fresh(odd).status} == {"implemented"}


def test_a_circular_test_is_run_and_shown_and_decides_nothing(worker: Drainer) -> None:
    even, odd = define("Even"), define("Odd")
    right = implement(even, constant("Even", 1))
    implement(odd, "# <<Even>>\ndef Odd():\n    return Even()\n")
    settled(worker)
    round_about = publish_test(even, "# <<Odd>>\nassert Odd() == 2")
    settled(worker)
    assert health(round_about) == ("circular", "leads back here through Odd", False)
    assert Cell.objects.get(test=round_about).verdict == "failed"
    assert fresh(even).elected == right


def test_a_test_that_is_broken_and_circular_is_called_broken(worker: Drainer) -> None:
    even, odd, half = define("Even"), define("Odd"), define("Half")
    right = implement(even, constant("Even", 1))
    implement(odd, "# <<Even>> <<Half>>\ndef Odd():\n    return Even()\n")
    only = implement(half, constant("Half", 1))
    settled(worker)
    round_about = publish_test(even, "# <<Odd>>\nassert Odd() == 2")
    settled(worker)
    assert health(round_about)[0] == "circular"
    withdraw(actor=only.author, work=only)
    settled(worker)
    assert health(round_about) == ("broken", "Half is not implemented", False)
    missing = publish_test(even, "# <<Odd>> <<Nowhere>>\nassert Odd() == 2")
    settled(worker)
    assert health(missing) == ("broken", "Nowhere does not exist", False)
    delete_function(actor=account("olga"), function=half)
    settled(worker)
    assert health(round_about) == ("broken", "Half does not exist", False)
    forbidden = publish_test(even, "# <<Odd>>\nimport socket\nassert Odd() == 2")
    settled(worker)
    assert health(forbidden)[0] == "broken"
    assert fresh(even).elected == right


def test_in_a_run_the_function_means_the_candidate_everywhere(worker: Drainer) -> None:
    base, double = define("Base"), define("Double")
    implement(base, constant("Base", 1))
    implement(double, "# <<Base>>\ndef Double():\n    return 2 * Base()\n")
    settled(worker)
    through = publish_test(base, "# <<Double>>\nassert Double() == 2 * Base() == 10")
    candidate = implement(base, constant("Base", 5))
    settled(worker)
    assert Cell.objects.get(implementation=candidate, test=through).verdict == "passed"


def test_a_test_may_name_its_own_function(worker: Drainer) -> None:
    add = define("Add")
    naming = publish_test(add, "# <<Add>>\nassert Add() == 1")
    implement(add, constant("Add", 1))
    settled(worker)
    assert health(naming) == ("working", "", True)
    assert fresh(add).status == "implemented"


def test_squares_of_withdrawn_work_are_of_the_past(worker: Drainer) -> None:
    top = define("Top")
    work = implement(top, constant("Top", 1))
    asking = publish_test(top, "assert Top() == 1")
    settled(worker)
    assert load_matrix([work.pk], [asking.pk])[work.pk, asking.pk].is_current
    withdraw(actor=work.author, work=work)
    settled(worker)
    shown = load_matrix([work.pk], [asking.pk])[work.pk, asking.pk]
    assert (shown.verdict, shown.is_current) == ("passed", False)


def test_what_blocks_travels_beyond_where_no_election_is_changed_any_more(
    worker: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = define("F0")
    implement(base, constant("F0", 1))
    for number in range(1, 8):
        implement(define(f"F{number}"), f"# <<F{number - 1}>>\n" + constant(f"F{number}", 1))
    settled(worker)
    monkeypatch.setattr(reconciler, "MAX_CASCADE_DEPTH", 3)
    delete_function(actor=account("olga"), function=base)
    settled(worker)
    statuses = Function.objects.filter(deleted_at=None).values_list("status", flat=True)
    assert list(statuses) == ["blocked"] * 7


def test_the_page_is_told_every_standing_and_every_square(worker: Drainer) -> None:
    add = define("Add")
    work = implement(add, constant("Add", 1))
    asking = publish_test(add, "assert Add() == 1")
    settled(worker)
    events = Event.objects.filter(topic__name=add.topic).order_by("seq")
    told = events.filter(type="standing.changed").latest("seq")
    squares = {
        (implementation, test): key
        for event in events
        for implementation, test, key in event.payload.get("cells", ())
    }
    cells = {(cell.implementation_id, cell.test_id): cell for cell in Cell.objects.all()}
    assert told.payload["elected"] == work.pk
    assert told.payload["status"] == "implemented"
    assert told.payload["judging"] is False
    assert told.payload["implementations"][0]["standing"] == "eligible"
    assert told.payload["tests"][0]["counts"] is True
    assert squares == {pair: bytes(cell.key or b"").hex() for pair, cell in cells.items()}
    assert set(cells) == {(work.pk, None), (work.pk, asking.pk)}


def test_a_function_is_judged_from_its_publication_on(worker: Drainer) -> None:
    add = define("Add")
    implement(add, constant("Add", 1))
    assert fresh(add).judging
    settled(worker)
    assert not fresh(add).judging


def test_a_draft_that_would_close_a_circle_says_so_when_run(worker: Drainer) -> None:
    even, odd = define("Even"), define("Odd")
    implement(even, constant("Even", 1))
    implement(odd, "# <<Even>>\n" + constant("Odd", 1))
    settled(worker)
    draft = draft_implementation(even, constant("Even", 1) + "# <<Odd>>\n")
    with pytest.raises(Refusal) as refused:
        run_draft(actor=draft.author, draft=draft)
    assert (refused.value.code, refused.value.line) == ("circular", 3)
    assert "leads back to Even through Odd" in refused.value.message


def test_a_drafts_run_is_executed_and_counts_for_nothing(worker: Drainer) -> None:
    add = define("Add")
    asking = publish_test(add, "assert Add() == 1")
    draft = draft_implementation(add, constant("Add", 1))
    settled(worker)
    batch = run_draft(actor=draft.author, draft=draft)
    settled(worker)
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    told = Event.objects.filter(topic__name=draft.draft_topic, type="task.finished")
    assert [event.payload["verdict"] for event in told] == ["passed", "passed"]
    announced = Event.objects.get(topic__name=draft.draft_topic, type="batch.submitted")
    pairs = [(i, t) for i, t, _ in announced.payload["cells"]]
    assert pairs == [(draft.pk, None), (draft.pk, asking.pk)]
    assert not Cell.objects.exists()
    assert fresh(add).status == "not_implemented"


def test_a_withdrawn_test_counts_no_more(worker: Drainer) -> None:
    add = define("Add")
    work = implement(add, constant("Add", 1))
    asking = publish_test(add, "assert Add() == 2")
    settled(worker)
    assert fresh(add).elected is None
    withdraw(actor=asking.author, work=asking)
    settled(worker)
    assert fresh(add).elected == work
    assert health(asking)[2] is False


def test_what_blocks_is_named_rightly_however_far_away(worker: Drainer) -> None:
    base, middle, top = define("Base"), define("Middle"), define("Top")
    implement(base, constant("Base", 1))
    implement(middle, "# <<Base>>\n" + constant("Middle", 1))
    work = implement(top, "# <<Middle>>\n" + constant("Top", 1))
    settled(worker)
    delete_function(actor=account("olga"), function=base)
    settled(worker)
    assert standing(work) == ("blocked", "blocked: Base does not exist")
    define("Base")
    settled(worker)
    assert standing(work) == ("blocked", "blocked: Base is not implemented")
