"""Another Python, policy or helpers: all is run anew, and former results count until then."""

import pytest

from functions.acceptance import publish_acceptance_test, start_acceptance_test
from functions.contests.evaluation import LOWEST_PRIORITY
from functions.maintenance.runtime_upgrade import check_runtime
from functions.maintenance.verification import find_differences
from functions.models import Cell, Function, Implementation, Notice, Runtime
from runner.models import Execution
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.sandbox import Outcome, Verdict
from runner.states import State
from runner.workers.claims import claim
from tests.support.batches import PASSED, execute
from tests.support.works import constant, define, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)

FAILED = Outcome(Verdict.FAILED, message="not any more", cpu_us=1, wall_us=1)


def set_runtime(patch: pytest.MonkeyPatch, version: str) -> None:
    """Let this process have that runtime."""
    for module in (
        "runner.programs.program",
        "functions.contests.carryover",
        "functions.maintenance.runtime_upgrade",
    ):
        patch.setattr(f"{module}.RUNTIME_VERSION", version)


def execute_all(*, failing: Implementation | None = None) -> None:
    """Execute what waits; the tests fail of one implementation, and pass of all others."""
    tested = Cell.objects.filter(implementation=failing).exclude(test=None)
    keys = {bytes(key) for key in tested.values_list("key", flat=True) if key}
    while claims := claim("a worker").claims:
        for claimed in claims:
            execute(claimed, FAILED if claimed.key in keys else PASSED)
        run_due_follow_ups()


def standing(function: Function) -> tuple[str, str, bool]:
    """Return what is current, the function's status, and whether it is being judged."""
    function = Function.objects.select_related("elected").get(pk=function.pk)
    return str(function.elected), function.status, function.judging


def pending() -> list[int]:
    """Return the priorities of all that waits."""
    return list(
        Execution.objects.filter(state=State.PENDING).values_list("priority", flat=True).order_by()
    )


def test_another_runtime_has_everything_run_anew_and_former_results_count_until_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_runtime(monkeypatch, "first")
    base, top = define("Base"), define("Top")
    publish_test(base, "assert Base() < 3")
    one = implement(base, constant("Base", 1))
    implement(base, constant("Base", 2))
    implement(top, "# <<Base>>\ndef Top():\n    return Base()\n")
    execute_all()
    check_runtime(0)
    assert standing(base) == ("#2", "implemented", False)

    set_runtime(monkeypatch, "second")
    assert list(find_differences()) == []
    check_runtime(0)
    run_due_follow_ups()
    # All five programs wait behind whatever else there is; nothing else has changed by it.
    assert pending() == [LOWEST_PRIORITY] * 5
    assert not Cell.objects.filter(carried=False).exists()
    assert standing(base) == ("#2", "implemented", False)
    assert list(find_differences()) == []

    # Votes are heeded at once, by what is known from before.
    vote(one, up="nora")
    run_due_follow_ups()
    assert standing(base) == ("#1", "implemented", False)
    assert Implementation.objects.filter(standing="eligible", function=base).count() == 2

    # A third one before the second is through: what counted does so still.
    set_runtime(monkeypatch, "third")
    check_runtime(0)
    run_due_follow_ups()
    assert standing(base) == ("#1", "implemented", False)
    # Top's is that of another implementation of Base: that was never known.
    assert sorted(pending()) == [1, *[LOWEST_PRIORITY] * 4]

    execute_all(failing=one)
    assert not Cell.objects.filter(carried=True).exists()
    assert standing(base) == ("#2", "implemented", False)
    told = Notice.objects.filter(function=base, kind=Notice.Kind.CURRENT).latest("pk").text
    assert told.startswith("#2 became current: ")
    assert "another version of Python, the policy or the helpers" in told
    assert list(find_differences()) == []
    executed = Execution.objects.count()
    check_runtime(0)
    run_due_follow_ups()
    assert pending() == []
    assert (Execution.objects.count(), Runtime.objects.count()) == (executed, 3)
    assert not Runtime.objects.filter(walked_at=None).exclude(version="second").exists()


def test_acceptance_tests_say_what_they_said_until_they_have_been_run_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_runtime(monkeypatch, "first")
    base, top = define("Base"), define("Top")
    implement(base, constant("Base", 1))
    implement(top, "# <<Base>>\ndef Top():\n    return Base()\n")
    execute_all()
    check_runtime(0)
    draft = start_acceptance_test(
        actor=top.owner, function=top, target="Base", code="assert Base() == 2"
    )
    test = publish_acceptance_test(actor=top.owner, test=draft)
    for claimed in claim("a worker").claims:
        execute(claimed, FAILED)
    test.refresh_from_db()
    former = bytes(test.key or b"")
    assert (test.verdict, Notice.objects.filter(kind="acceptance_failed").count()) == ("failed", 1)

    set_runtime(monkeypatch, "second")
    assert list(find_differences()) == []
    check_runtime(0)
    run_due_follow_ups()
    test.refresh_from_db()
    assert test.verdict == "failed"
    assert bytes(test.key or b"") != former
    assert pending() == [LOWEST_PRIORITY] * 3
    for claimed in claim("a worker").claims:
        execute(claimed, FAILED)
    test.refresh_from_db()
    assert (test.verdict, Notice.objects.filter(kind="acceptance_failed").count()) == ("failed", 1)
