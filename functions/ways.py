"""Ways: all that a function leads to, in order, remembered as long as nothing on it changes.

Elections and programs ask for it again and again. To follow it takes a while for each function that
is on it; to see that they are as they were takes nearly nothing.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from functions.closure import group
from functions.nodes import Node, edges_of
from runner.programs import ModuleRow, module_row

Modules = dict[int, ModuleRow]


class _Way(NamedTuple):
    """What a function leads to, dependencies first and itself last, and as modules of programs."""

    members: tuple[int, ...]
    nodes: tuple[Node, ...]
    modules: tuple[ModuleRow, ...]

    def is_still_so(self, nodes: Mapping[int, Node]) -> bool:
        return tuple(map(nodes.get, self.members)) == self.nodes  # mostly the very same ones


class _Ways:
    """The ways of functions, by their ids, with so many members in all at most."""

    def __init__(self, most_members: int) -> None:
        self._most_members = most_members
        self._members = 0
        self._ways: dict[int, _Way] = {}

    def find(self, function_id: int, nodes: Mapping[int, Node]) -> _Way | None:
        """Return the way that is known, if all of it is as it was."""
        way = self._ways.get(function_id)
        return way if way and way.is_still_so(nodes) else None

    def keep(self, function_id: int, way: _Way) -> None:
        """Remember this one."""
        former = self._ways.pop(function_id, None)
        self._members += len(way.members) - (len(former.members) if former else 0)
        if self._members > self._most_members:
            self._ways, self._members = {}, len(way.members)
        self._ways[function_id] = way


_ways = _Ways(most_members=100_000)


def find_modules(function_ids: Sequence[int], nodes: Mapping[int, Node]) -> Modules | None:
    """Return what these functions lead to as modules, by their ids, dependencies first.

    None unless all of that is elected and there, and none of it leads back: so the order of what
    these lead to is the order in which it is named.
    """
    found = [_find(function_id, nodes) for function_id in function_ids]
    ways = [way for way in found if way]
    return _modules_on(ways) if len(ways) == len(found) else None


def _find(function_id: int, nodes: Mapping[int, Node]) -> _Way | None:
    if (known := _ways.find(function_id, nodes)) is not None:
        return known
    if (node := nodes.get(function_id)) is None:
        return None
    targets = [link.target or 0 for link in node.links if link.target != function_id]
    below = [way for target in targets if (way := _ways.find(target, nodes))]
    modules = _modules_on(below)
    members = [*modules, function_id]
    if len(below) < len(targets):
        members = _follow(function_id, nodes)
    if not members or not all(nodes[member].elected for member in members):
        return None
    way = _Way(
        tuple(members),
        tuple(nodes[member] for member in members),
        tuple(modules.get(member) or _module(nodes[member], nodes) for member in members),
    )
    _ways.keep(function_id, way)
    return way


def _modules_on(ways: Sequence[_Way]) -> Modules:
    return dict(chain.from_iterable(zip(way.members, way.modules, strict=True) for way in ways))


def _follow(function_id: int, nodes: Mapping[int, Node]) -> list[int]:
    """Return what it leads to; nothing where something is missing, or leads back."""
    circles = group([function_id], edges_of(nodes))
    members = [circle[0] for circle in circles if len(circle) == 1]
    named = [link.target for member in members for link in nodes[member].links]
    is_plain = len(members) == len(circles) and all(target in nodes for target in named)
    return members if is_plain else []


def _module(node: Node, nodes: Mapping[int, Node]) -> ModuleRow:
    targets = [link.target or 0 for link in node.links if link.target != node.id]
    return module_row(node.name, node.sha256, [nodes[target].name for target in targets])
