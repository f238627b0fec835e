"""What accounts use is counted exactly, once, and charged to who caused it."""

from datetime import UTC, datetime, time, timedelta

import pytest
from django.db import transaction
from pytest_django.fixtures import Settings

from runner.batches.submission import ChildBatch, submit_child_batches
from runner.errors import QuotaExceeded
from runner.models import QuotaOverride, ResourceUse
from runner.programs.program import PreparedProgram
from runner.quotas import (
    CALLS,
    CPU,
    KEEP_DAYS,
    RUNS,
    add_use,
    read_use,
    remove_old_use,
    unlimited,
)
from runner.sandbox import Outcome, Verdict
from runner.workers.claims import Claim, claim
from runner.workers.recorder import Run, record
from tests.support import builders as make
from tests.support.batches import execute, program, submit
from tests.support.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)


def used(user_id: int) -> dict[str, float]:
    return {name: use.used for name, use in read_use(user_id, [CPU, RUNS, CALLS]).items()}


def claim_all() -> list[Claim]:
    claims = []
    while more := claim("a worker").claims:
        claims += more
    return claims


def test_counts_of_many_at_once_add_up() -> None:
    mira, otto = make.user(), make.user()
    counted = run_together(lambda _: add_use(mira.pk, {CALLS: 1, CPU: 500_000}), range(20))
    assert sorted(uses["calls"].used for uses in counted) == list(range(1, 21))
    assert used(mira.pk) == {"cpu": 10, "runs": 0, "calls": 20}
    assert used(otto.pk) == {"cpu": 0, "runs": 0, "calls": 0}


def test_what_is_rolled_back_was_not_used() -> None:
    mira = make.user()
    with transaction.atomic():
        add_use(mira.pk, {CALLS: 3})
        transaction.set_rollback(True)
    assert used(mira.pk)["calls"] == 0


def test_a_result_is_charged_once_however_often_it_is_delivered() -> None:
    mira = make.user()
    submit([program(), program(), program()], owner=mira)
    claims = claim_all()
    outcomes = [(Run(one), Outcome(Verdict.PASSED, cpu_us=2_000_000)) for one in claims]
    for _ in range(2):
        record(outcomes)
    assert used(mira.pk) == {"cpu": 6, "runs": 3, "calls": 0}


def test_many_workers_charge_one_account_exactly() -> None:
    mira = make.user()
    submit([program() for _ in range(40)], owner=mira)
    claims = claim_all()
    assert len(claims) > 10
    run_together(execute, claims)
    assert used(mira.pk)["runs"] == len(claims)
    assert ResourceUse.objects.filter(user=mira, resource="runs").count() > 1


def test_who_caused_a_run_is_charged_and_nobody_for_the_sites_own() -> None:
    mira, otto = make.user(), make.user()
    wanted = program()
    root = submit([wanted], owner=mira)
    submit([wanted], owner=otto)  # waits for the same run
    submit([program()])  # by a vote, or a new runtime
    with transaction.atomic():
        # A cascade.
        child = ChildBatch(
            topic="function:2", programs=[program()], cause="", recorder="", parent=root
        )
        submit_child_batches([child])
    for one in claim_all():
        execute(one)
    assert (used(mira.pk)["runs"], used(otto.pk)["runs"]) == (2, 0)
    assert not ResourceUse.objects.exclude(user__in=[mira, otto]).exists()
    submit([wanted], owner=otto)  # is known
    assert used(otto.pk)["runs"] == 0


def test_a_deleted_accounts_results_are_recorded() -> None:
    mira = make.user()
    batch = submit([program()], owner=mira)
    claims = claim("a worker").claims
    mira.delete()
    execute(claims[0])
    assert batch.tasks.get().executed


@pytest.mark.parametrize(
    ("cpu_limit", "runs_limit", "override", "refusal"),
    [
        (10, 10, {}, None),
        (2, 10, {}, "used today's quota of CPU seconds: 2 of 2"),
        (3, 10, {}, "waiting may take what is left of today's 3 CPU seconds"),
        (4, 10, {}, None),
        (10, 1, {}, "used today's quota of runs: 1 of 1"),
        (10, 4, {}, "This takes 4 runs, and you have used 1 of today's 4"),
        (10, 5, {}, "waiting may take what is left of today's 5 runs"),
        (10, 6, {}, None),
        (2, 5, {"cpu": 4, "runs": 6}, None),
        (10, 10, {"runs": 4}, "This takes 4 runs"),
        (10, 10, {"cpu": 0}, "CPU seconds: 2 of 0"),
    ],
)
def test_work_is_refused_before_it_is_accepted(
    settings: Settings,
    cpu_limit: int,
    runs_limit: int,
    override: dict[str, int],
    refusal: str | None,
) -> None:
    settings.RATE_LIMITS = True
    settings.CPU_SECONDS_PER_DAY, settings.RUNS_PER_DAY = cpu_limit, runs_limit
    mira = make.user()
    with unlimited():
        submit([program(), program()], owner=mira)
    first, _second = claim_all()  # one has run, one is still to be run
    execute(first, Outcome(Verdict.PASSED, cpu_us=2_000_000))
    for resource, limit in override.items():
        QuotaOverride.objects.create(user=mira, resource=resource, limit=limit)
    four = [program() for _ in range(4)]
    if refusal is None:
        assert submit(four, owner=mira).pk
        return
    with pytest.raises(QuotaExceeded, match=refusal) as refused:
        submit(four, owner=mira)
    is_waiting = "waiting" in refusal
    assert refused.value.code == ("too_many_requests" if is_waiting else "quota_reached")
    assert 0 < refused.value.retry_after_seconds <= (60 if is_waiting else 86_400)
    assert submit([], owner=mira).pk  # nothing to run
    with unlimited():
        assert submit(four, owner=mira).pk


def test_of_many_submissions_at_once_the_quota_admits_as_many_as_there_is_room_for(
    settings: Settings,
) -> None:
    settings.RATE_LIMITS, settings.RUNS_PER_DAY = True, 5
    mira = make.user()

    def is_accepted(programs: list[PreparedProgram]) -> bool:
        try:
            return bool(submit(programs, owner=mira).pk)
        except QuotaExceeded:
            return False

    pairs = [[program(), program()] for _ in range(6)]
    assert sum(run_together(is_accepted, pairs)) == 2


def test_a_day_begins_anew_and_old_days_are_removed() -> None:
    mira = make.user()
    today = datetime.now(UTC).date()
    add_use(mira.pk, {CALLS: 3})
    for days in (1, KEEP_DAYS + 1):
        ResourceUse.objects.create(
            user=mira, day=today - timedelta(days=days), resource="calls", amount=5
        )
    calls = read_use(mira.pk, [CALLS])["calls"]
    assert calls.used == 3
    # Days are those of UTC, whatever zone the site shows.
    tomorrow = datetime.combine(today + timedelta(days=1), time(), UTC)
    left = (tomorrow - datetime.now(UTC)).total_seconds()
    assert calls.renewal_seconds == pytest.approx(left, abs=60)
    remove_old_use(0)
    assert ResourceUse.objects.filter(user=mira).count() == 2
