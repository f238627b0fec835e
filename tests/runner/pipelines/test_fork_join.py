"""Fork-join: at once where a target has rested, together where it hasn't, and never by two."""

import threading
import time

import pytest
from django.db import transaction

from runner.pipelines.fork_join import GATHER_SECONDS, Joiner, lock_all_targets, try_lock_target
from tests.patience import PATIENCE_SECONDS
from tests.support.batches import in_threads


class Recorder:
    """Notes when which target was joined."""

    def __init__(self) -> None:
        self.joined: list[tuple[str, float]] = []
        self.refusals = 0
        self.joiner = Joiner(self.join)

    def join(self, target: str) -> bool:
        self.joined.append((target, time.monotonic()))
        self.refusals -= 1
        return self.refusals < 0

    @property
    def targets(self) -> list[str]:
        return [target for target, _ in self.joined]


@pytest.fixture
def recorder(transactional_db: None) -> Recorder:
    return Recorder()


def test_what_arrives_for_a_rested_target_is_joined_before_one_goes_on(recorder: Recorder) -> None:
    recorder.joiner.notify("a")
    assert recorder.targets == ["a"]


def test_many_arrivals_are_joined_as_few_and_not_before_the_target_has_rested(
    recorder: Recorder,
) -> None:
    for _ in range(100):
        recorder.joiner.notify("a")
    assert recorder.joiner.wait_idle(PATIENCE_SECONDS)
    first, *others = [at for _, at in recorder.joined]
    assert len(others) == 1
    assert others[0] - first >= GATHER_SECONDS


def test_one_target_rests_while_others_are_joined(recorder: Recorder) -> None:
    for target in "aba":
        recorder.joiner.notify(target)
    assert recorder.targets == ["a", "b"]
    assert recorder.joiner.wait_idle(PATIENCE_SECONDS)
    assert recorder.targets == ["a", "b", "a"]


def test_who_finds_a_target_being_joined_tries_again(recorder: Recorder) -> None:
    recorder.refusals = 3
    recorder.joiner.notify("a")
    assert recorder.joiner.wait_idle(PATIENCE_SECONDS)
    assert recorder.targets == ["a"] * 4


def test_a_join_that_fails_fails_nobody_else(
    recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(target: str) -> bool:
        recorder.join(target)
        raise ValueError(target)

    joiner = Joiner(fail)
    joiner.notify("a")
    joiner.notify("a")
    joiner.notify("b")
    assert joiner.wait_idle(PATIENCE_SECONDS)
    assert recorder.targets == ["a", "b", "a"]
    assert "left to the sweeper" in caplog.text


def test_what_arrives_while_a_target_is_joined_is_joined_too(transactional_db: None) -> None:
    begun, arrived = threading.Event(), threading.Event()
    joined: list[str] = []

    def join_slowly(target: str) -> bool:
        joined.append(target)
        begun.set()
        return arrived.wait(PATIENCE_SECONDS)

    def arrive_late() -> None:
        assert begun.wait(PATIENCE_SECONDS)
        joiner.notify("a")
        arrived.set()

    joiner = Joiner(join_slowly)
    in_threads(lambda: joiner.notify("a"), arrive_late)
    assert joiner.wait_idle(PATIENCE_SECONDS)
    assert joined == ["a", "a"]


def test_a_target_is_locked_by_one_and_the_whole_keeps_all_away(transactional_db: None) -> None:
    def try_both() -> tuple[bool, bool]:
        with transaction.atomic():
            return try_lock_target("whole", 1), try_lock_target("whole", 2)

    found: list[tuple[bool, bool]] = []
    with transaction.atomic():
        assert try_lock_target("whole", 1)
        in_threads(lambda: found.append(try_both()))
    with transaction.atomic():
        lock_all_targets("whole")
        in_threads(lambda: found.append(try_both()))
    in_threads(lambda: found.append(try_both()))
    assert found == [(False, True), (False, False), (True, True)]
