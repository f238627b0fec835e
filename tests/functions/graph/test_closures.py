"""Ways: what is remembered of them is what following them finds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.graph import closures
from functions.graph.algorithms import find_components
from functions.graph.closures import Modules, closure_modules
from functions.graph.nodes import Link, Node, edges_of
from runner.programs.program import module_row

IDS = range(1, 8)


@pytest.fixture(autouse=True)
def _ways_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closures, "_cache", closures._cache)


@st.composite
def functions(draw: st.DrawFn, pk: int, *, onwards: bool = True) -> Node:
    """Draw a function that names some before it, mostly; or any."""
    targets = st.sampled_from(IDS if not onwards else [None, *2 * [*range(1, pk)]])
    named = draw(st.lists(targets, max_size=3, unique=True))
    return Node(
        id=pk,
        name=draw(st.sampled_from([f"F{pk}", f"G{9 - pk}"])),
        elected=draw(st.sampled_from([*9 * [pk], None])),
        sha256=bytes([pk]),
        links=tuple(Link(f"F{target}", target) for target in named if target or not onwards),
        judging=False,
        digest=b"",
    )


def followed(starts: list[int], nodes: dict[int, Node]) -> Modules | None:
    circles = find_components(starts, edges_of(nodes))
    members = [pk for circle in circles for pk in circle]
    named = [link.target for pk in members for link in nodes[pk].links]
    if (
        len(members) > len(circles)
        or any(target not in nodes for target in named)
        or any(nodes[pk].elected is None for pk in members)
    ):
        return None
    return {
        pk: module_row(
            nodes[pk].name,
            nodes[pk].sha256,
            [nodes[link.target or 0].name for link in nodes[pk].links if link.target != pk],
        )
        for pk in members
    }


@pytest.mark.parametrize("most", [40, 100_000])
@settings(max_examples=60)
@given(data=st.data())
def test_what_is_remembered_of_ways_is_what_following_them_finds(
    most: int, data: st.DataObject
) -> None:
    closures._cache = closures._ClosureCache(most_members=most)
    nodes = {pk: data.draw(functions(pk)) for pk in IDS}
    for _ in range(4):
        several = st.lists(st.sampled_from(sorted(nodes)), max_size=3, unique=True)
        for starts in [*data.draw(st.lists(several, max_size=3)), *([pk] for pk in nodes)]:
            found, expected = closure_modules(starts, nodes), followed(starts, nodes)
            assert found == expected
            assert list(found or ()) == list(expected or ())  # the order is part of a program
            assert closures._cache._members <= most
        changed = data.draw(st.sampled_from(IDS))
        if data.draw(st.booleans()):
            nodes[changed] = data.draw(functions(changed, onwards=data.draw(st.booleans())))
        elif len(nodes) > 1:
            nodes.pop(changed, None)
