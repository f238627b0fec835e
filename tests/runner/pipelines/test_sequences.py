"""Sequences: a view follows its sources however their news comes."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.models import Arrival, Contribution
from runner.pipelines.sequences import (
    Difference,
    SourceUpdate,
    append_update,
    apply_arrivals,
    apply_updates,
    pending_differences,
)
from tests.support.totals import VIEW

pytestmark = pytest.mark.django_db

# Histories: how each of a few sources changes its value and its target, over and over.
HISTORIES = st.lists(
    st.lists(st.tuples(st.integers(1, 3), st.integers(-5, 5)), min_size=1, max_size=6),
    min_size=1,
    max_size=4,
)


def news_of(histories: list[list[tuple[int, int]]]) -> list[SourceUpdate]:
    return [
        SourceUpdate(source, sequence, target, value)
        for source, history in enumerate(histories, 1)
        for sequence, (target, value) in enumerate(history, 1)
    ]


def totals_of(news: list[SourceUpdate]) -> dict[int, int]:
    """Return what the last news of each source comes to."""
    last = {each.source: each for each in sorted(news, key=lambda each: each.sequence)}
    totals: dict[int, int] = {}
    for each in last.values():
        totals[each.target] = totals.get(each.target, 0) + each.value
    return {target: total for target, total in totals.items() if total}


def add(totals: dict[int, int], differences: dict[int, int]) -> dict[int, int]:
    targets = {*totals, *differences}
    sums = {each: totals.get(each, 0) + differences.get(each, 0) for each in targets}
    return {target: total for target, total in sums.items() if total}


def test_the_last_of_what_a_source_said_is_counted() -> None:
    for news in [SourceUpdate(1, 1, 7, 5), SourceUpdate(1, 2, 7, -2), SourceUpdate(2, 1, 7, 10)]:
        append_update(VIEW, news)
    assert apply_arrivals(VIEW, 7) == {7: 8}
    assert not Arrival.objects.exists()
    assert apply_arrivals(VIEW, 7) == {}


def test_what_is_older_than_what_was_counted_changes_nothing() -> None:
    assert apply_updates(VIEW, [SourceUpdate(1, 3, 7, 5)]) == [Difference(1, 7, 5)]
    assert apply_updates(VIEW, [SourceUpdate(1, 2, 7, 100), SourceUpdate(1, 3, 7, 5)]) == []
    assert Contribution.objects.get().value == 5


def test_a_source_takes_what_it_counted_for_along_to_another_target() -> None:
    assert apply_updates(VIEW, [SourceUpdate(1, 1, 7, 5)]) == [Difference(1, 7, 5)]
    append_update(VIEW, SourceUpdate(1, 2, 8, 6))
    assert apply_arrivals(VIEW, 8) == {7: -5, 8: 6}


def test_news_from_before_a_move_that_comes_after_it_is_ignored() -> None:
    append_update(VIEW, SourceUpdate(1, 2, 8, 6))
    append_update(VIEW, SourceUpdate(1, 1, 7, 5))
    assert apply_arrivals(VIEW, 8) == {8: 6}
    assert apply_arrivals(VIEW, 7) == {}


def test_views_do_not_see_each_others_sources() -> None:
    assert apply_updates(VIEW, [SourceUpdate(1, 5, 7, 5)]) == [Difference(1, 7, 5)]
    assert apply_updates("other", [SourceUpdate(1, 1, 7, 2)]) == [Difference(1, 7, 2)]


def test_what_is_on_its_way_can_be_told() -> None:
    append_update(VIEW, SourceUpdate(1, 1, 7, 5), difference=5)
    append_update(VIEW, SourceUpdate(1, 2, 7, 3), difference=-2)
    append_update("other", SourceUpdate(1, 1, 7, 9), difference=9)
    assert pending_differences(VIEW) == {7: 3}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(HISTORIES, st.randoms(use_true_random=False))
def test_any_order_with_any_repetition_comes_to_the_same(
    histories: list[list[tuple[int, int]]], chance: random.Random
) -> None:
    Contribution.objects.all().delete()
    Arrival.objects.all().delete()
    news = news_of(histories)
    deliveries = news + chance.choices(news, k=len(news))
    chance.shuffle(deliveries)
    totals: dict[int, int] = {}
    for each in deliveries:
        append_update(VIEW, each)
        if chance.random() < 0.4:
            totals = add(totals, apply_arrivals(VIEW, chance.choice(news).target))
    for target in {each.target for each in news}:
        totals = add(totals, apply_arrivals(VIEW, target))
    assert totals == totals_of(news)
    assert not Arrival.objects.exists()
