"""Contests: what the names in a work lead to."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.contests.contest import Contest
from functions.contests.programs import ProgramBuilder
from functions.graph.algorithms import find_components
from functions.graph.nodes import Link, Node, edges_of
from functions.models import Function, Implementation, Test

HOME, MISSING = 1, 99


@st.composite
def contests(draw: st.DrawFn) -> Contest:
    """Draw a function with an implementation and a test, among others that lead to one another."""
    there = draw(st.sets(st.integers(HOME, 6), min_size=2))
    lacks_something = draw(st.booleans())
    targets = st.sampled_from([*there, *([None, MISSING] if lacks_something else [])])
    links = st.lists(targets, max_size=2, unique=True).map(
        lambda drawn: tuple(Link(f"F{target}", target) for target in drawn)
    )
    nodes = {
        pk: Node(
            id=pk,
            name=f"F{9 - pk}",
            elected=draw(st.sampled_from([pk * 10, None])) if lacks_something else pk * 10,
            sha256=b"",
            links=tuple(link for link in draw(links) if link.target != pk),
            judging=draw(st.booleans()),
            digest=b"",
        )
        for pk in there
    }
    function = Function(pk=HOME, name="Home", elected_id=10)
    work = Implementation(pk=10, function=function, number=1, source_sha256=b"0" * 32)
    test = Test(pk=20, function=function, number=1, source_sha256=b"1" * 32)
    named = {(work.noun, work.pk): draw(links), (test.noun, test.pk): draw(links)}
    return Contest(function, [work], [test], work, nodes, (), named)


def seen(contest: Contest) -> list[Any]:
    [work], [test] = contest.implementations, contest.tests
    return [
        contest.closure_of(work),
        contest.closure_of(test),
        [node.id for node in contest.cycle_group_of(contest.links_of(work))],
        contest.awaits_dependency(),
        ProgramBuilder(contest).keys([(work.pk, None), (work.pk, test.pk)]),
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contest=contests())
def test_what_is_plain_is_found_as_if_every_way_were_followed(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = seen(contest)
    contest.set_nodes(contest.nodes, ())
    with monkeypatch.context() as patch:
        patch.setattr(Contest, "modules_of", lambda *_: None)
        assert seen(contest) == found


@given(contest=contests())
def test_what_lacks_something_or_leads_back_is_not_plain(contest: Contest) -> None:
    [work] = contest.implementations
    modules = contest.modules_of(contest.links_of(work))
    closure = contest.closure_of(work)
    if modules is not None:
        assert not closure.missing
        assert not closure.cycle_path
    elif not closure.missing and not closure.cycle_path:
        # Only by what is proposed, and not elected, or what goes round beside this function.
        circles = find_components(contest.resolve(contest.links_of(work)), edges_of(contest.nodes))
        reached = [contest.nodes[node] for circle in circles for node in circle]
        assert any(len(circle) > 1 for circle in circles) or not all(
            node.elected for node in reached
        )
