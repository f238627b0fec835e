"""Ways: all that a function leads to, in order, remembered as long as nothing on it changes.

Elections and programs ask for it again and again. To follow it takes a while for each function that
is on it; to see that they are as they were takes nearly nothing.
"""

import threading
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from functions.graph.algorithms import group, order
from functions.graph.nodes import Node, edges_of
from runner.programs.program import ModuleRow, module_row

Modules = dict[int, ModuleRow]

_EACH = 20  # a way takes as much as one of so many more members
# More is not made into ways at once: where many names share much, each of theirs has all of it.
_MOST_AT_ONCE = 10_000


class _Way(NamedTuple):
    """What a function leads to, dependencies first and itself last, and as modules of programs."""

    members: tuple[int, ...]
    nodes: tuple[Node, ...]
    modules: tuple[ModuleRow, ...]

    def is_still_so(self, nodes: Mapping[int, Node]) -> bool:
        return tuple(map(nodes.get, self.members)) == self.nodes  # mostly the very same ones


class _Ways:
    """The ways of functions, by their ids, with so many members in all at most.

    Whoever asks says how things are, and so what is found is right. Threads may share it.
    """

    def __init__(self, most_members: int) -> None:
        self._most_members = most_members
        self._members = 0
        self._ways: dict[int, _Way] = {}
        self._lock = threading.Lock()

    def find(self, function_id: int, nodes: Mapping[int, Node]) -> _Way | None:
        """Return the way that is known, if all of it is as it was."""
        way = self._ways.get(function_id)
        return way if way and way.is_still_so(nodes) else None

    def keep(self, function_id: int, way: _Way) -> None:
        """Remember this one."""
        with self._lock:
            former = self._ways.pop(function_id, None)
            self._members += _size_of(way) - (_size_of(former) if former else 0)
            if self._members > self._most_members:
                self._ways, self._members = {}, _size_of(way)
            self._ways[function_id] = way


_ways = _Ways(most_members=100_000)


def find_modules(function_ids: Sequence[int], nodes: Mapping[int, Node]) -> Modules | None:
    """Return what these, which are among the nodes, lead to as modules by ids, dependencies first.

    None unless all of that is elected and there, and nothing goes round: so their order depends on
    nothing but the order in which each names others.
    """
    ways = [_find(function_id, nodes) for function_id in function_ids]
    known = [way for way in ways if way]
    return _modules_on(known) if len(known) == len(ways) else _follow(function_ids, nodes)


def _find(function_id: int, nodes: Mapping[int, Node]) -> _Way | None:
    """Return the function's way if it is known, or those of what it names are."""
    if (known := _ways.find(function_id, nodes)) is not None:
        return known
    node = nodes[function_id]
    targets = [link.target or 0 for link in node.links if link.target != function_id]
    below = [way for target in targets if (way := _ways.find(target, nodes))]
    if len(below) < len(targets) or not node.elected:
        return None
    return _keep({**_modules_on(below), function_id: _module(node, nodes)}, nodes)


def _follow(function_ids: Sequence[int], nodes: Mapping[int, Node]) -> Modules | None:
    edges = edges_of(nodes)
    circles = group(function_ids, edges)
    members = [circle[0] for circle in circles]
    named = [link.target for node in members for link in nodes[node].links]
    if (
        any(len(circle) > 1 for circle in circles)
        or not all(nodes[node].elected for node in members)
        or not all(target in nodes for target in named)
    ):
        return None
    modules = {node: _module(nodes[node], nodes) for node in members}
    if len(function_ids) * len(modules) <= _MOST_AT_ONCE:
        for function_id in function_ids:
            # In an order of its own: of what these share, that depends on who is followed first.
            _keep({node: modules[node] for node in order([function_id], edges)}, nodes)
    return modules


def _modules_on(ways: Sequence[_Way]) -> Modules:
    return dict(chain.from_iterable(zip(way.members, way.modules, strict=True) for way in ways))


def _keep(modules: Modules, nodes: Mapping[int, Node]) -> _Way:
    """Remember these as the way of the last one."""
    way = _Way(tuple(modules), tuple(nodes[node] for node in modules), tuple(modules.values()))
    if len(modules) <= _MOST_AT_ONCE:
        _ways.keep(way.members[-1], way)
    return way


def _module(node: Node, nodes: Mapping[int, Node]) -> ModuleRow:
    targets = [link.target or 0 for link in node.links if link.target != node.id]
    return module_row(node.name, node.sha256, [nodes[target].name for target in targets])


def _size_of(way: _Way) -> int:
    return len(way.members) + _EACH
