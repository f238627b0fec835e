"""Fan-out: each item once, whatever comes twice, late, out of order or breaks."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from runner import registry
from runner.errors import NotRegistered
from runner.models import FanOut, FollowUp, Incident, Topic
from runner.pipelines import fan_out as module
from runner.pipelines.fan_out import PAGE_JOB, FanOutCancelled, RetryLater, fan_out, run_page_job
from runner.pipelines.follow_ups import MAX_TRIES, run_due_follow_ups
from runner.registry import Page, register_source, register_step
from tests.support.batches import in_threads

pytestmark = pytest.mark.django_db(transaction=True)

Hook = Callable[[Sequence[int], FanOut], None]


class Walked:
    """A source that counts, and a step that notes each number in a table, with its transaction."""

    def __init__(self) -> None:
        self.hook: Hook = lambda items, walk: None
        self.read: Callable[[Any], None] = lambda cursor: None

    def source(self, arguments: Any, cursor: Any, at_most: int) -> Page:
        self.read(cursor)
        first, last = cursor or 0, min((cursor or 0) + at_most, arguments["count"])
        return Page(range(first, last), last if last < arguments["count"] else None)

    def work(self, items: Sequence[int], walk: FanOut) -> None:
        Topic.objects.bulk_create([Topic(name=f"{walk.generation}:{item}") for item in items])
        self.hook(items, walk)

    @property
    def done(self) -> list[int]:
        rows = Topic.objects.order_by("id").values_list("name", flat=True)
        return [int(name.partition(":")[2]) for name in rows]


@pytest.fixture
def walked() -> Iterator[Walked]:
    walked = Walked()
    register_source("numbers", walked.source)
    register_step("note", walked.work)
    yield walked
    del registry.sources["numbers"], registry.steps["note"]


def begin(count: int, *, page: int = 10, name: str = "walk") -> FanOut:
    with transaction.atomic():
        return fan_out(name, source="numbers", step="note", arguments={"count": count}, page=page)


def make_due() -> None:
    FollowUp.objects.update(due_at=timezone.now())


def run_to_end() -> None:
    while FollowUp.objects.exists():
        make_due()
        run_due_follow_ups()


def test_thousands_are_walked_through_in_order_each_once(walked: Walked) -> None:
    begin(5_003, page=100)
    run_to_end()
    assert walked.done == list(range(5_003))
    assert FanOut.objects.get().finished_at


@pytest.mark.parametrize("count", [0, 1, 10, 11, 20])
def test_ends_of_pages(walked: Walked, count: int) -> None:
    begin(count)
    run_to_end()
    assert walked.done == list(range(count))


def test_what_is_rolled_back_is_not_begun(walked: Walked) -> None:
    with transaction.atomic():
        fan_out("walk", source="numbers", step="note", arguments={"count": 5})
        transaction.set_rollback(True)
    assert not FanOut.objects.exists()
    assert not FollowUp.objects.exists()


def test_unregistered_names_are_refused(walked: Walked) -> None:
    with pytest.raises(NotRegistered):
        fan_out("walk", source="numbers", step="nothing")


def test_turns_that_come_twice_late_or_shuffled_do_nothing(walked: Walked) -> None:
    walk = begin(95)
    chance = random.Random(3)  # noqa: S311
    seen: list[dict[str, Any]] = []
    while FollowUp.objects.exists():
        seen += FollowUp.objects.values_list("arguments", flat=True)
        again = chance.choices(seen, k=3)
        turns = [FollowUp(name=PAGE_JOB, target=walk.name, arguments=turn) for turn in again]
        chance.shuffle(turns)
        for turn in turns:
            with transaction.atomic():
                run_page_job(walk.name, [turn])
        run_due_follow_ups()
    assert walked.done == list(range(95))


def test_workers_at_once_walk_each_page_once(walked: Walked) -> None:
    for number in range(3):
        begin(60, name=f"walk {number}")

    def run() -> None:
        for _ in range(30):
            run_due_follow_ups()

    def note(items: Sequence[int], walk: FanOut) -> None:
        Topic.objects.bulk_create([Topic(name=f"{walk.pk}:{item}") for item in items])

    register_step("note", note)
    in_threads(run, run, run)
    run_to_end()
    assert sorted(walked.done) == sorted([*range(60)] * 3)


def test_newer_walk_supersedes_the_older_one(walked: Walked) -> None:
    begin(1_000)
    walked.hook = _once_at(20, lambda: begin(30))
    run_to_end()
    names = set(Topic.objects.values_list("name", flat=True))
    assert names == {f"1:{n}" for n in range(30)} | {f"2:{n}" for n in range(30)}
    assert FanOut.objects.get().generation == 2


def _once_at(first: int, act: Callable[[], object]) -> Hook:
    done: list[int] = []

    def hook(items: Sequence[int], walk: FanOut) -> None:
        if items[0] == first and not done:
            done.append(1)
            act()

    return hook


@pytest.mark.parametrize("place", ["source", "write turn", "step", "end", "after the turn"])
def test_crash_at_any_line_repeats_nothing_and_leaves_nothing_out(
    walked: Walked, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each place crashes the first time that it is reached in a transaction, on every page."""
    crashed: set[tuple[str, Any]] = set()

    def crash(at: str, number: Any) -> None:
        if at == place and (at, number) not in crashed:
            crashed.add((at, number))
            raise SystemError("killed here")

    begin(45)
    walked.read = lambda cursor: crash("source", cursor)
    walked.hook = lambda items, walk: crash("step", items[0])
    write, end, take = module._enqueue_page_job, module._finish, module.run_page_job

    def write_and_crash(walk: FanOut) -> None:
        write(walk)
        crash("write turn", walk.number)

    def end_and_crash(walk: FanOut) -> None:
        end(walk)
        crash("end", walk.number)

    def take_and_crash(name: str, rows: Sequence[FollowUp]) -> None:
        take(name, rows)
        crash("after the turn", FanOut.objects.get().number)

    monkeypatch.setattr(module, "_enqueue_page_job", write_and_crash)
    monkeypatch.setattr(module, "_finish", end_and_crash)
    monkeypatch.setitem(registry.follow_up_handlers, PAGE_JOB, None)
    registry.register_follow_up(PAGE_JOB, take_and_crash)
    run_to_end()
    assert crashed
    assert walked.done == list(range(45))
    assert not Incident.objects.exists()


def test_page_that_cannot_be_worked_on_is_left_out_and_noted(walked: Walked) -> None:
    begin(40)

    def refuse_the_second(items: Sequence[int], walk: FanOut) -> None:
        if items[0] == 10:
            raise ValueError("never")

    walked.hook = refuse_the_second
    run_to_end()
    assert walked.done == [*range(10), *range(20, 40)]
    assert Incident.objects.get().kind == "page_given_up"


def test_source_that_cannot_be_read_ends_the_walk(walked: Walked) -> None:
    begin(40)
    reads: list[Any] = []

    def refuse(cursor: Any) -> None:
        reads.append(cursor)
        if cursor == 20:
            raise ValueError("never")

    walked.read = refuse
    run_to_end()
    assert walked.done == list(range(20))
    assert reads.count(20) == MAX_TRIES + 1
    assert FanOut.objects.get().finished_at


def test_step_may_ask_for_time_and_may_end_the_walk(walked: Walked) -> None:
    begin(40)
    asked: list[int] = []

    def hesitate_then_end(items: Sequence[int], walk: FanOut) -> None:
        if items[0] == 10 and len(asked) < 2:
            asked.append(1)
            raise RetryLater(60)
        if items[0] == 20:
            raise FanOutCancelled

    walked.hook = hesitate_then_end
    run_due_follow_ups()
    assert walked.done == list(range(10))
    run_to_end()
    assert walked.done == list(range(20))
    assert FanOut.objects.get().finished_at
