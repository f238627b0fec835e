"""A function's graph: what it imports and what imports it, level by level."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.models import Dependency, Function, Implementation
from functions.read_models.graph import (
    MAX_FOLLOWED,
    MAX_FUNCTIONS,
    MAX_LEVELS,
    MAX_SHOWN,
    Side,
    graph_page,
)
from tests.support import builders as make

pytestmark = pytest.mark.django_db


def importing(name: str, *targets: Function | str, **fields: Any) -> Function:
    """Make a function whose current implementation names these."""
    found = make.function(name)
    work = make.implementation(found, **fields)
    for target in targets:
        found_target = target if isinstance(target, Function) else None
        make.dependency(work, str(target), found_target)
    make.elect(work)
    return found


def told(side: Side) -> list[list[str]]:
    return [
        [" ".join([node.link.name, *sorted(node.through)]) for node in level.nodes]
        for level in side.levels
    ]


def test_a_graph_follows_what_is_current_both_ways_and_marks_circles(client: Client) -> None:
    low = importing("Low", "Gone")
    base, side = importing("Base", low), importing("Side", low)
    add = importing("Add", base, side, low)
    top = importing("Top", add)
    roof = importing("Roof", top, add)
    # What is not current leads nowhere, but where nothing is.
    other = make.implementation(base)
    make.dependency(other, "Top", top)
    candidate = make.function("Candidate")
    make.dependency(make.implementation(candidate), "Add", add)
    make.dependency(make.implementation(candidate, state="withdrawn"), "Top", top)
    make.dependency(make.test_of(make.function("Tested")), "Add", add)
    even = importing("Even", add)
    odd = importing("Odd", even)
    make.dependency(Implementation.objects.get(function=even), "Odd", odd)
    Function.objects.filter(pk__in=[even.pk, odd.pk]).update(circle=["Even", "Odd"])
    page = graph_page(add)
    assert told(page.imports) == [["Base Add", "Low Add", "Side Add"], ["Gone Low"]]
    assert told(page.importers) == [
        ["Candidate Add", "Even Add", "Roof Add", "Top Add"],
        ["Odd Even"],
    ]
    assert (page.imports.is_all, page.importers.is_all) == (True, True)
    assert page.importers.levels[1].nodes[0].link.circle == ("Even", "Odd")
    followed = [add, base, low, side, candidate, even, roof, top, odd]
    assert list(page.positions) == [one.topic for one in followed]
    mutual = graph_page(even)
    assert [node.leads_back for node in mutual.imports.levels[0].nodes] == [False, True]
    assert client.get("/functions/add/graph/")["Location"] == "/functions/Add/graph/"
    shown = client.get("/functions/Add/graph/").content.decode()
    assert '<a href="/functions/Gone/" data-status="missing">' in shown
    assert "circle of Even, Odd" in shown
    assert "through Even" in shown
    answer = client.get("/api/v1/functions/add/graph/").json()
    (gone,) = answer["imports"]["levels"][1]["functions"]
    assert (gone["name"], gone["status"], gone["through"]) == ("Gone", "missing", ["Low"])
    assert answer["importers"]["complete"]


def test_a_graph_is_bounded_and_takes_as_few_queries_for_many_as_for_one(client: Client) -> None:
    costs = []
    for count in (1, MAX_FUNCTIONS + 5):
        hub = importing("Hub")
        crowd = Function.objects.bulk_create(
            Function(name=f"Of{nth}", name_key=f"of{nth}", owner=hub.owner) for nth in range(count)
        )
        works = Implementation.objects.bulk_create(
            Implementation(
                function=one, author=hub.owner, state="published", number=1, published_at=make.SINCE
            )
            for one in crowd
        )
        Dependency.objects.bulk_create(
            Dependency(implementation=work, name="Hub", name_key="hub", target=hub)
            for work in works
        )
        with CaptureQueriesContext(connection) as queries:
            page = client.get("/functions/Hub/graph/").content.decode()
        costs.append(len(queries))
        assert page.count('href="/functions/Of') == min(count, MAX_SHOWN)
        assert len(graph_page(hub).positions) == 1 + min(count, MAX_FOLLOWED)
        Function.objects.update(deleted_at=make.SINCE)
    assert costs[1] <= costs[0]
    assert f"{MAX_FUNCTIONS - MAX_SHOWN} more" in page
    chain = [importing("Link0")]
    for nth in range(1, MAX_LEVELS + 3):
        chain.append(importing(f"Link{nth}", chain[-1]))
    page_of_last = graph_page(chain[-1])
    assert len(page_of_last.imports.levels) == MAX_LEVELS
    assert not page_of_last.imports.is_all


def test_a_function_that_is_deleted_while_one_looks_is_not_there(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = importing("Gone")
    Function.objects.update(deleted_at=make.SINCE)
    monkeypatch.setattr("functions.views.graph.function_or_404", lambda _name: gone)
    assert client.get("/functions/Gone/graph/").status_code == 404
