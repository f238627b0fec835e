"""Views: exact whatever comes twice, late, in disorder or not at all, and whoever dies when."""

import random
import signal
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models.functions import Now

from runner.models import Arrival, Contribution, Incident
from runner.pipelines.materialized_views import (
    VIEW_REBUILT,
    ViewSweeper,
    apply_target,
    enqueue_join,
    joiner,
    rebuild,
)
from runner.pipelines.sequences import SourceUpdate
from tests.patience import PATIENCE_SECONDS
from tests.support.batches import in_threads
from tests.support.crashes import Crash, failing_at, in_child
from tests.support.totals import VIEW, Totals

# More than a join has; a test that counts them says so when that changes.
JOIN_STATEMENTS = 4


def test_a_hundred_arrivals_are_joined_in_one_write(totals: Totals) -> None:
    for source in range(100):
        totals.say(SourceUpdate(source, 1, 7, 1))
    assert apply_target(VIEW, 7)
    assert totals.stored() == {7: 100}
    assert totals.writes() == 1


def test_what_comes_to_nothing_writes_nothing(totals: Totals) -> None:
    totals.say(SourceUpdate(1, 1, 7, 1), SourceUpdate(1, 2, 7, 0))
    assert apply_target(VIEW, 7)
    assert totals.writes() == 0
    assert not Arrival.objects.exists()


def test_an_arrival_is_joined_after_its_transaction_and_not_at_all_without(totals: Totals) -> None:
    with transaction.atomic():
        totals.say(SourceUpdate(1, 1, 7, 1))
        enqueue_join(VIEW, 7)
        assert joiner.wait_idle(PATIENCE_SECONDS)
        assert totals.stored() == {}
    assert joiner.wait_idle(PATIENCE_SECONDS)
    assert totals.stored() == {7: 1}


def test_sources_that_change_and_move_at_the_same_time_are_counted_once(totals: Totals) -> None:
    """Eight writers and as many joins, each source going to and fro between two targets."""

    def write(writer: int) -> None:
        chance = random.Random(writer)  # noqa: S311 - to be the same each time
        for sequence in range(1, 26):
            target = chance.choice((7, 8))
            totals.say(SourceUpdate(writer, sequence, target, chance.randint(-5, 5)))
            enqueue_join(VIEW, target)

    in_threads(*(lambda writer=writer: write(writer) for writer in range(8)))
    assert joiner.wait_idle(PATIENCE_SECONDS)
    assert totals.stored() == totals.expected()
    assert totals.writes() < 200


def test_what_follows_from_a_total_is_there_with_it_or_not_at_all(totals: Totals) -> None:
    def fail() -> None:
        raise Crash

    totals.say(SourceUpdate(1, 1, 7, 1))
    totals.follow = fail
    with pytest.raises(Crash):
        apply_target(VIEW, 7)
    assert totals.stored() == {}
    totals.follow = lambda: None
    assert apply_target(VIEW, 7)
    assert totals.stored() == {7: 1}


@pytest.mark.parametrize("kill", [False, True], ids=["raises", "killed"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("statement", range(1, JOIN_STATEMENTS + 1))
def test_a_crash_at_any_statement_of_a_join_loses_and_doubles_nothing(
    totals: Totals, statement: int, *, after: bool, kill: bool
) -> None:
    totals.say(SourceUpdate(1, 1, 7, 5), SourceUpdate(2, 1, 8, 3))
    assert apply_target(VIEW, 7)
    assert apply_target(VIEW, 8)
    totals.say(SourceUpdate(1, 2, 8, 6), SourceUpdate(3, 1, 8, 1))

    def crash() -> None:
        with failing_at(statement, after=after, kill=kill):
            apply_target(VIEW, 8)

    if kill:
        assert in_child(crash) == -signal.SIGKILL
    else:
        with pytest.raises(Crash):
            crash()
    assert totals.stored() == {7: 5, 8: 3}
    totals.say(*totals.sent_lines.values())  # delivered once more
    for target in (7, 8):
        assert apply_target(VIEW, target)
    assert totals.stored() == totals.expected() == {8: 10}


def test_a_join_has_as_many_statements_as_were_tried(totals: Totals) -> None:
    totals.say(SourceUpdate(1, 1, 7, 5))
    apply_target(VIEW, 7)
    totals.say(SourceUpdate(1, 2, 8, 6))
    with failing_at(0) as statements:
        apply_target(VIEW, 8)
    assert len(statements) == JOIN_STATEMENTS


def test_what_a_process_left_is_joined_by_the_sweeper(totals: Totals) -> None:
    def say_and_die() -> None:
        totals.say(SourceUpdate(1, 1, 7, 5))
        with failing_at(1, kill=True):
            enqueue_join(VIEW, 7)

    assert in_child(say_and_die) == -signal.SIGKILL
    totals.sent_lines[1] = SourceUpdate(1, 1, 7, 5)  # what the child had said
    overseer = ViewSweeper()
    overseer.sweep()
    assert totals.stored() == {}  # it may be joined yet by who has appended it
    Arrival.objects.update(arrived_at=Now() - timedelta(minutes=1))
    overseer.sweep()
    assert totals.stored() == {7: 5}
    assert not Incident.objects.exists()


def test_a_target_that_cannot_be_written_keeps_no_other_waiting(
    totals: Totals, caplog: pytest.LogCaptureFixture
) -> None:
    totals.say(*(SourceUpdate(source, 1, source, 5) for source in range(1, 6)))
    Arrival.objects.update(arrived_at=Now() - timedelta(minutes=1))
    totals.refused = 3
    ViewSweeper().sweep()
    assert sorted(totals.stored()) == [1, 2, 4, 5]
    assert "test 3 failed" in caplog.text
    totals.refused = None
    ViewSweeper().sweep()
    assert totals.stored() == totals.expected()


def test_news_that_was_lost_is_found_and_is_an_incident(totals: Totals) -> None:
    totals.say(SourceUpdate(1, 1, 7, 5), SourceUpdate(2, 1, 8, 1))
    assert apply_target(VIEW, 7)
    assert apply_target(VIEW, 8)
    totals.say(SourceUpdate(1, 2, 7, 2), SourceUpdate(2, 2, 7, 4), arrives=False)
    ViewSweeper().sweep()
    assert totals.stored() == totals.expected() == {7: 6}
    assert Incident.objects.get().kind == VIEW_REBUILT
    # Should it come after all, it comes too late.
    totals.say(SourceUpdate(1, 2, 7, 2), SourceUpdate(2, 2, 7, 4))
    assert apply_target(VIEW, 7)
    assert totals.stored() == {7: 6}


def test_a_total_that_was_tampered_with_is_put_right(totals: Totals) -> None:
    totals.say(SourceUpdate(1, 1, 7, 5))
    assert apply_target(VIEW, 7)
    totals.add({7: 100})
    assert rebuild(VIEW, 7)
    assert totals.stored() == {7: 5}
    assert not rebuild(VIEW, 7)


def test_sources_that_are_gone_are_counted_no_more(totals: Totals) -> None:
    totals.say(SourceUpdate(1, 1, 7, 5), SourceUpdate(2, 1, 7, 3))
    assert apply_target(VIEW, 7)
    del totals.sent_lines[2]
    assert rebuild(VIEW, 7)
    assert totals.stored() == {7: 5}


def test_what_is_counted_wrongly_is_counted_anew(totals: Totals) -> None:
    totals.say(SourceUpdate(1, 1, 7, 5))
    assert apply_target(VIEW, 7)
    Contribution.objects.update(value=6)
    assert rebuild(VIEW, 7)
    assert totals.stored() == {7: 5}


def test_what_is_on_its_way_is_no_incident(totals: Totals) -> None:
    totals.say(SourceUpdate(1, 1, 7, 5), SourceUpdate(2, 1, 7, 3))
    assert apply_target(VIEW, 7)
    totals.say(SourceUpdate(1, 2, 8, 5), SourceUpdate(2, 2, 7, 4))  # one moves away, one stays
    assert not rebuild(VIEW, 7)
    assert apply_target(VIEW, 8)
    assert totals.stored() == totals.expected() == {7: 4, 8: 5}
    assert not Incident.objects.exists()


def test_looking_a_view_over_goes_on_where_it_stopped_and_begins_anew(
    totals: Totals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.pipelines.materialized_views._TARGETS_PER_CHECK", 2)
    overseer = ViewSweeper()
    for target in range(1, 6):
        totals.add({target: 1})  # nobody has said so
    rebuilt = [overseer.sweep() for _ in range(4)]
    assert rebuilt == [2, 2, 1, 0]
    totals.add({1: 1})
    assert [overseer.sweep() for _ in range(3)] == [0, 0, 1]


def test_views_are_rebuilt_while_their_sources_change(totals: Totals) -> None:
    def write(writer: int) -> None:
        for sequence in range(1, 31):
            totals.say(SourceUpdate(writer, sequence, 7 + sequence % 2, sequence))
            enqueue_join(VIEW, 7 + sequence % 2)

    def rebuild_often() -> None:
        for _ in range(15):
            for target in (7, 8):
                rebuild(VIEW, target)

    in_threads(rebuild_often, *(lambda writer=writer: write(writer) for writer in range(4)))
    assert joiner.wait_idle(PATIENCE_SECONDS)
    assert totals.stored() == totals.expected()
