"""Claiming: in turn, shared out fairly, by one at a time, and lost when the token is overtaken."""

import threading

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from runner.batches.cancellation import cancel_batches
from runner.events.sequencer import sequence_topics
from runner.models import Attempt, Execution, Result, Task
from runner.operations.sweeper import sweep
from runner.programs.program import PreparedProgram, make_program, source_hash
from runner.sandbox import LogLine, Module, Program
from runner.states import State
from runner.workers.claims import Claim, build_programs, claim, extend_leases
from runner.workers.recorder import Run, publish_output, publish_started, record
from runner.workers.release import BACK_OFF_SECONDS, Release, release
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import (
    PASSED,
    event_types,
    events,
    execute,
    expire_leases,
    in_threads,
    is_anybody_waiting_for_a_lock,
    make_due,
    numbers,
    pages_read,
    program,
    rows_read,
    submit,
)
from tests.support.site import url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)


def keys(claims: list[Claim]) -> list[bytes]:
    return [claimed.key for claimed in claims]


def test_claim_is_counted_leased_and_told() -> None:
    submit([program()])
    (claimed,) = claim("a worker").claims
    execution = Execution.objects.get()
    assert (execution.state, execution.attempts, execution.token) == (State.IN_PROGRESS, 1, 1)
    assert execution.worker == "a worker"
    sequence_topics(publish_started([Run(claimed)]))
    assert Attempt.objects.get().worker == "a worker"
    assert Attempt.objects.get().started_at == execution.claimed_at
    assert Task.objects.get().state == State.IN_PROGRESS
    assert event_types() == ["batch.submitted", "task.started"]
    sweep()
    assert claim("another").claims == []
    assert extend_leases([claimed]) == {execution.pk}


def test_each_program_is_claimed_once_by_workers_that_claim_at_once() -> None:
    submit([program() for _ in range(60)])
    claimed: list[bytes] = []

    def take_all() -> None:
        while claims := claim("a worker").claims:
            claimed.extend(keys(claims))

    in_threads(*[take_all] * 4)
    assert len(claimed) == len(set(claimed))
    assert claimed or Execution.objects.filter(state=State.PENDING).exists()
    take_all()
    assert len(set(claimed)) == 60


def test_worker_leaves_a_share_to_its_idle_neighbour() -> None:
    submit([program() for _ in range(21)])
    assert [len(claim("a worker").claims) for _ in range(3)] == [5, 4, 4]


def test_worker_takes_at_most_32() -> None:
    submit([program() for _ in range(200)])
    assert len(claim("a worker").claims) == 32


def test_sooner_priorities_go_first_and_a_new_wish_can_make_it_sooner() -> None:
    background, urgent, wanted = program(), program(), program()
    submit([background, wanted], priority=2)
    submit([urgent], priority=0)
    submit([wanted, program()], priorities={wanted.key: 1}, priority=3)
    assert keys(claim("a worker").claims)[:3] == [urgent.key, wanted.key, background.key]


def test_programs_of_one_tag_are_claimed_together() -> None:
    mixed = [program(tag="ab"[number % 2]) for number in range(16)]
    submit(mixed)
    tags = {Execution.objects.get(key=claimed.key).tag for claimed in claim("a worker").claims}
    assert tags == {"a"}


def test_thousand_of_one_owner_do_not_delay_the_few_of_another() -> None:
    ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
    for _ in range(10):
        submit([program() for _ in range(20)], owner=ada)
    few = [program() for _ in range(10)]
    submit(few, owner=bob)
    first = keys(claim("a worker").claims)
    assert len({item.key for item in few} & set(first)) >= 9


def owners_of(claims: list[Claim]) -> list[str | None]:
    rows = Execution.objects.in_bulk([claimed.execution_id for claimed in claims])
    return [
        owner.get_username() if (owner := rows[claimed.execution_id].owner) else None
        for claimed in claims
    ]


def test_owner_with_a_fill_in_progress_comes_after_who_waits() -> None:
    ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
    submit([program(tag="a") for _ in range(300)], owner=ada)
    assert len(claim("first").claims) == 32
    submit([program(tag="b") for _ in range(20)], owner=bob)
    second = owners_of(claim("second").claims)
    assert second.count("bob") == 20


def test_burst_of_one_tag_takes_no_more_than_the_owners_fill_while_others_wait() -> None:
    ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
    submit([program(tag="a") for _ in range(300)], owner=ada)
    submit([program(tag="b") for _ in range(20)], owner=bob)
    first = owners_of(claim("first").claims)
    assert (first.count("ada"), first.count("bob")) == (16, 16)


def test_owners_fill_keeps_no_worker_idle() -> None:
    ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
    submit([program() for _ in range(100)], owner=ada)
    submit([program() for _ in range(100)], owner=bob)
    claimed = [len(claim("a worker").claims) for _ in range(4)]
    assert claimed == [32, 32, 32, 26]


def test_sooner_priority_of_an_owner_with_a_fill_goes_first() -> None:
    ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
    submit([program() for _ in range(300)], owner=ada)
    assert claim("first").claims
    submit([program() for _ in range(20)], owner=bob, priority=5)
    assert set(owners_of(claim("second").claims)) == {"ada"}


def test_what_was_dropped_is_anew_on_behalf_of_who_wants_it() -> None:
    ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
    wanted = program()
    cancel_batches([submit([wanted], owner=ada)])
    submit([wanted], owner=bob)
    assert owners_of(claim("a worker").claims) == ["bob"]


def test_many_batches_of_one_owner_do_not_come_before_a_late_one_of_another() -> None:
    """After each burst of the heavy owner's the other's 20 are done within a few claims."""
    ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
    for number in range(10):
        submit([program(tag=f"a{number}") for _ in range(100)], owner=ada)
    for _ in range(5):
        for claimed in claim("a worker").claims:
            execute(claimed)
    few = submit([program(tag="b") for _ in range(20)], owner=bob)
    executed = 0
    while few.tasks.filter(state=State.PENDING).exists():
        claims = claim("a worker").claims
        executed += len(claims)
        for claimed in claims:
            execute(claimed)
    assert executed <= 64


def test_what_waits_for_its_retry_is_not_claimed_before_it_is_due() -> None:
    submit([program()])
    (claimed,) = claim("a worker").claims
    with transaction.atomic():
        release([Release(claimed.execution_id, claimed.token, Attempt.Outcome.FAILED, "broke")])
    assert Task.objects.get().state == State.FAILED
    assert claim("a worker").claims == []
    make_due()
    assert keys(claim("a worker").claims) == [claimed.key]


def test_each_failed_attempt_is_waited_for_longer_and_keeps_its_error_until_all_is_given_up() -> (
    None
):
    batch = submit([program()])
    waited = []
    for number in (1, 2, 3):
        (claimed,) = claim("a worker").claims
        error = f"it broke for the {number}. time"
        with transaction.atomic():
            release([Release(claimed.execution_id, claimed.token, Attempt.Outcome.FAILED, error)])
        execution, last = Execution.objects.get(), Attempt.objects.latest("id")
        assert last.ended_at is not None
        waited.append(execution.due_at and (execution.due_at - last.ended_at).total_seconds())
        make_due()
    assert waited[:2] == list(BACK_OFF_SECONDS) == [1, 5]
    errors = Attempt.objects.order_by("id").values_list("number", "error")
    assert list(errors) == [(number, f"it broke for the {number}. time") for number in (1, 2, 3)]
    assert batch.tasks.get().state == State.IGNORED


def test_what_is_ready_again_is_not_passed_over_for_long_where_much_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submit([program() for _ in range(300)])
    monkeypatch.setattr("runner.workers.claims.FULL_SCAN_SECONDS", 0)
    first = claim("a worker").claims[0]
    claim("a worker")
    monkeypatch.setattr("runner.workers.claims.FULL_SCAN_SECONDS", 60)  # from where that one began
    with transaction.atomic():
        release([Release(first.execution_id, first.token, Attempt.Outcome.HANDED_BACK)])
    assert first.key not in keys(claim("a worker").claims)
    monkeypatch.setattr("runner.workers.claims.FULL_SCAN_SECONDS", 0)
    assert claim("a worker").claims[0].key == first.key


def test_what_is_urgent_is_seen_at_once_where_much_waits() -> None:
    submit([program() for _ in range(300)], priority=1)
    for _ in range(2):
        claim("a worker")
    urgent = program()
    submit([urgent], priority=0)
    assert claim("a worker").claims[0].key == urgent.key


def test_for_the_next_few_not_all_is_read_that_waits() -> None:
    claims: list[Claim] = []

    def take() -> None:
        claims[:] = claim("a worker").claims

    def finish() -> None:
        record([(Run(claimed), PASSED) for claimed in claims])

    read = []
    for count in (300, 2_000):
        submit([program() for _ in range(count)])
        read.append((rows_read("runner_execution", take), rows_read("runner_task", finish)))
    few, many = read
    assert many[0] < 1.6 * few[0]
    assert many[1] < 1.6 * few[1]


def test_dead_rows_of_what_was_claimed_are_not_read_while_a_snapshot_is_held() -> None:
    submit([program() for _ in range(600)])
    with psycopg.connect(url_of_test_database()) as other:
        other.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        other.execute("select count(*) from runner_execution")
        read = [pages_read("runner_execution", lambda: claim("a worker")) for _ in range(14)]
    # The first of them looks at all, the others only from there on.
    assert max(read[9:]) < min(read[1:4]) * 1.6


def test_hand_back_is_no_attempt() -> None:
    submit([program()])
    for _ in range(5):
        (claimed,) = claim("a worker").claims
        assert claimed.attempt == 1
        with transaction.atomic():
            release([Release(claimed.execution_id, claimed.token, Attempt.Outcome.HANDED_BACK)])
    execution = Execution.objects.get()
    assert (execution.state, execution.attempts, execution.token) == (State.PENDING, 0, 5)
    assert Task.objects.get().state == State.PENDING


def test_stale_token_writes_nothing() -> None:
    submit([program()])
    (stale,) = claim("paused").claims
    expire_leases()
    sweep()
    make_due()
    (fresh,) = claim("another").claims
    assert fresh.token > stale.token
    before = event_types()
    assert extend_leases([stale]) == set()
    assert record([(Run(stale), PASSED)]) == []
    assert publish_output([Run(stale, lines=[LogLine(0, "out", "late")])]) == []
    with transaction.atomic():
        assert release([Release(stale.execution_id, stale.token, Attempt.Outcome.FAILED)]) == []
    assert not Result.objects.exists()
    assert event_types() == before
    assert Execution.objects.get().state == State.IN_PROGRESS
    record([(Run(fresh), PASSED)])
    assert Result.objects.get().attempt == 2


def test_expired_lease_is_claimed_again_alone() -> None:
    wanted = [program() for _ in range(4)]
    submit(wanted)
    assert len(claim("lost").claims) == 4
    expire_leases()
    assert claim("another").claims == []  # only sweepers take what has expired
    assert sweep().released == 4
    assert claim("another").claims == []
    make_due()
    for _ in range(4):
        (claimed,) = claim("another").claims
        assert claimed.exclusive
        assert claimed.attempt == 2
    outcomes = Attempt.objects.order_by("id").values_list("outcome", flat=True)
    assert list(outcomes) == ["lost"] * 4 + [""] * 4


def test_lease_that_is_kept_does_not_expire() -> None:
    submit([program()])
    claimed = claim("a worker").claims
    expire_leases()
    extend_leases(claimed)
    assert sweep().released == 0


def test_leases_are_kept_by_locking_in_key_order() -> None:
    first, last = sorted((program(), program()), key=lambda each: each.key)
    submit([last])  # so that its row comes first
    submit([first])
    held = threading.Event()
    claims = claim("a worker").claims

    def hold_the_first_until_the_other_waits_then_want_the_last() -> None:
        with transaction.atomic():
            executions = Execution.objects.select_for_update(no_key=True)
            executions.get(key=first.key)
            held.set()
            await_that(is_anybody_waiting_for_a_lock)
            executions.get(key=last.key)

    def extend() -> None:
        assert held.wait(PATIENCE_SECONDS)
        assert len(extend_leases(claims)) == 2

    in_threads(hold_the_first_until_the_other_waits_then_want_the_last, extend)


def test_what_is_lost_three_times_is_given_up_and_said_so() -> None:
    batch = submit([program()])
    for _ in range(3):
        assert claim("lost").claims
        expire_leases()
        sweep()
        make_due()
    assert claim("another").claims == []
    assert batch.tasks.get().state == State.IGNORED
    (finished,) = events(type="task.finished")
    assert (finished["state"], finished["verdict"], finished["attempt"]) == ("ignored", None, 3)
    assert event_types()[-1] == "batch.finished"


def test_sources_that_are_known_are_neither_sent_nor_read_again() -> None:
    shared = Module("Subject", f"def Subject():\n    return {next(numbers)} + 1\n")

    def own(number: int) -> PreparedProgram:
        test = Module("test", f"assert Subject() != -{number}\n", ("Subject",))
        return make_program(modules=[shared, test], entry="test", subject="Subject")

    submit([own(1)])
    build_programs(claim("a worker").claims)
    with CaptureQueriesContext(connection) as queries:
        submit([own(2)])
        (built,) = build_programs(claim("a worker").claims).values()
    assert isinstance(built, Program)
    assert built.modules[0] == shared
    sent = [query["sql"] for query in queries if "insert into runner_source" in query["sql"]]
    read = [query["sql"] for query in queries if ", text from runner_source" in query["sql"]]
    assert len(sent) == len(read) == 1
    assert source_hash(shared.source).hex() not in sent[0] + read[0]
