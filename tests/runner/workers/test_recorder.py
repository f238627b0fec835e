"""Recording: one verdict, told to all who wait, whatever code or recorder misbehaves."""

import sys
from collections.abc import Sequence

import pytest
from django.db import connection

from runner import registry
from runner.batches.cancellation import cancel_batches
from runner.models import Attempt, Execution, OutboxEvent, Result, Task
from runner.registry import FinishedTask, register_recorder
from runner.sandbox import Case, LogLine, Outcome, Verdict
from runner.states import FINAL_STATES, State
from runner.workers import writer
from runner.workers.claims import claim
from runner.workers.drainer import Drainer
from runner.workers.recorder import Run, publish_output, record
from tests.patience import await_that
from tests.runner.workers.test_processes import CUT_OTHERS
from tests.support.batches import (
    event_types,
    events,
    execute,
    in_threads,
    make_due,
    program,
    submit,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_all_tasks_that_wait_are_finished_with_one_result() -> None:
    wanted = program()
    batches = [submit([wanted], topic=f"function:{number}") for number in range(3)]
    (claimed,) = claim("a worker").claims
    execute(claimed)
    assert Result.objects.count() == 1
    for number, batch in enumerate(batches):
        task = batch.tasks.get()
        assert (task.state, task.executed) == (State.SUCCEEDED, True)
        (finished,) = events(f"function:{number}", "task.finished")
        assert finished["key"] == wanted.key.hex()
        assert (finished["verdict"], finished["cpu_us"]) == ("passed", 1_000)
    assert Result.objects.get(execution__key=wanted.key).verdict == "passed"


def test_what_users_code_says_is_stored_whatever_it_is() -> None:
    wanted = program()
    submit([wanted])
    nasty = "\x00 \ud800 \U0001f600 </script>"
    outcome = Outcome(
        Verdict.ERROR,
        message=nasty,
        module=nasty,
        line=3,
        trace=(("Subject", 3, nasty, nasty),),
        log=(LogLine(0.5, "out", nasty),),
        cases=(Case(nasty, Verdict.ERROR, nasty, 1),),
        value={nasty: [float("nan"), float("inf"), 2**70]},
    )
    execute(claim("a worker").claims[0], outcome)
    result = Result.objects.get()
    assert result.message == "\ufffd \ufffd \U0001f600 </script>"
    assert result.log == [[0.5, "out", result.message]]
    assert result.value == {result.message: ["nan", "inf", 2**70]}
    assert events(type="task.finished")[0]["message"] == result.message


def test_output_is_told_once_to_each_topic_from_its_first_line() -> None:
    wanted = program()
    submit([wanted], topic="function:1")
    run = Run(claim("a worker").claims[0])
    run.lines += [LogLine(1, "out", "one"), LogLine(2, "out", "two")]
    publish_output([run])
    submit([wanted], topic="function:2")
    run.lines.append(LogLine(3, "out", "three"))
    publish_output([run])
    lines = (*run.lines, LogLine(4, "out", "four"))
    record([(run, Outcome(Verdict.PASSED, log=lines))])
    for topic in ("function:1", "function:2"):
        submit([], topic=topic)  # any commit has the topic joined
        told: dict[int, str] = {}
        for event in events(topic, "task.output"):
            assert (event["key"], event["attempt"]) == (wanted.key.hex(), 1)
            for number, (_, _, text) in enumerate(event["lines"], event["first"]):
                assert number not in told
                told[number] = text
        assert list(told.values()) == ["one", "two", "three", "four"]


def run_until_a_line_is_told(drainer: Drainer) -> None:
    """Execute what says something early, and would say more ten minutes later."""
    body = "import time\nprint('early')\ntime.sleep(600)\nprint('late')"
    batch = submit([program(body, wall_ms=600_000)])

    def drain_again_and_again() -> None:
        while not batch.tasks.filter(state__in=FINAL_STATES).exists():
            drainer.drain()
            make_due()

    def cancel_once_it_is_told() -> None:
        try:
            await_that(lambda: events(type="task.output"), what="a line is told")
        except pytest.fail.Exception:
            tries = list(Attempt.objects.order_by("id").values_list("outcome", "error"))
            unnumbered = OutboxEvent.objects.count()
            sys.stdout.write(f"{event_types()}, {unnumbered} not numbered; {tries}")
            raise
        finally:  # or it would be waited for
            cancel_batches([batch])

    in_threads(drain_again_and_again, cancel_once_it_is_told)
    (told,) = events(type="task.output")
    assert [line[2] for line in told["lines"]] == ["early"]


def test_output_streams_while_the_code_runs(drainer: Drainer) -> None:
    run_until_a_line_is_told(drainer)


def test_output_is_told_though_the_connection_over_which_it_was_to_be_is_cut(
    drainer: Drainer,
) -> None:
    submit([program()], topic="function:2")
    drainer.drain()  # over a connection that who writes keeps
    with connection.cursor() as cursor:
        cursor.execute(CUT_OTHERS)
        assert cursor.fetchone()[0] > 0
    run_until_a_line_is_told(drainer)
    assert Attempt.objects.latest("id").outcome == Attempt.Outcome.CANCELLED


def test_only_of_what_runs_for_longer_than_a_moment_it_is_told_that_it_has_begun(
    drainer: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "SHORT_RUN_SECONDS", 60.0)
    submit([program()])
    drainer.drain()
    assert event_types() == ["batch.submitted", "task.finished", "batch.finished"]
    monkeypatch.setattr(writer, "SHORT_RUN_SECONDS", 0.05)
    submit([program("import time\ntime.sleep(0.5)")], topic="function:2")
    drainer.drain()
    assert event_types("function:2")[1:3] == ["task.started", "task.finished"]
    for attempt in Attempt.objects.select_related("execution"):
        assert (attempt.outcome, attempt.number, attempt.token) == ("recorded", 1, 1)
        assert attempt.started_at == attempt.execution.claimed_at
        assert attempt.ended_at is not None


def test_recorder_that_fails_harms_no_other_batch(drainer: Drainer) -> None:
    def refuse(_finished: Sequence[FinishedTask]) -> None:
        raise ValueError("the recorder refuses")

    register_recorder("refusing", refuse)
    try:
        bad = submit([program()], recorder="refusing")
        good = submit([program() for _ in range(3)])
        for _ in range(3):
            drainer.drain()
            make_due()
    finally:
        del registry.recorders["refusing"]
    assert set(good.tasks.values_list("state", flat=True)) == {State.SUCCEEDED}
    assert bad.tasks.get().state == State.IGNORED
    tries = Attempt.objects.filter(execution__tasks__batch=bad)
    assert [attempt.outcome for attempt in tries] == ["failed"] * 3
    assert "the recorder refuses" in tries[0].error


def test_program_whose_source_is_gone_is_given_up_and_its_neighbour_done(
    drainer: Drainer,
) -> None:
    bad = submit([program()])
    Execution.objects.update(program={"modules": [["Subject", "00" * 32, []]]})
    good = submit([program()])
    for _ in range(3):
        drainer.drain()
        make_due()
    assert bad.tasks.get().state == State.IGNORED
    assert good.tasks.get().state == State.SUCCEEDED


def test_sleeper_is_repeated_once_alone_before_it_is_judged(drainer: Drainer) -> None:
    body = "import time\ntime.sleep(5)"
    submit([program(body, wall_ms=200), program()])
    drainer.drain()
    sleeper = Execution.objects.get(result__verdict="time_limit")
    assert sleeper.alone
    assert [attempt.outcome for attempt in sleeper.tries.order_by("id")] == [
        "repeated",
        "recorded",
    ]
    assert Task.objects.filter(state=State.SUCCEEDED).count() == 2


def test_code_that_uses_its_cpu_time_is_judged_at_once(drainer: Drainer) -> None:
    submit([program("while True: pass", cpu_ms=200, wall_ms=5_000)])
    drainer.drain()
    assert Result.objects.get().verdict == "time_limit"
    assert Attempt.objects.count() == 1
