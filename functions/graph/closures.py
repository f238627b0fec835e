"""Cached transitive closures: the modules that a function needs, in loading order.

Elections and programs use them often. Checking that all members are unchanged is much cheaper than
computing the closure.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from functions.graph.algorithms import find_components, topological_order
from functions.graph.nodes import Node, bound_edges_of, bound_links
from functions.sized_cache import SizedCache
from runner.programs.program import ModuleRow, module_row

Modules = dict[int, ModuleRow]

_ENTRY_OVERHEAD = 20  # a closure's fixed size, in members
# Larger closures are not cached, as each repeats shared dependencies.
_MAX_CACHED_MODULES = 10_000


class _CachedClosure(NamedTuple):
    """A function's closure, dependencies first and itself last, with its modules.

    It holds as long as the functions in `watched` have these nodes: its members, and those that it
    would have if they were elected.
    """

    members: tuple[int, ...]
    modules: tuple[ModuleRow, ...]
    watched: tuple[int, ...]
    nodes: tuple[Node | None, ...]


# By function id. Callers pass the current nodes, so a stale closure is never returned.
_cache: SizedCache[int, _CachedClosure] = SizedCache(100_000)


def closure_modules(function_ids: Sequence[int], nodes: Mapping[int, Node]) -> Modules | None:
    """Return the modules of these functions' closures by id, dependencies first.

    The functions must be among the nodes. None unless every member exists and is elected, without
    cycles. The order depends only on the order of each member's links.
    """
    closures = [_find(function_id, nodes) for function_id in function_ids]
    known = [closure for closure in closures if closure]
    return _merge_modules(known) if len(known) == len(closures) else _compute(function_ids, nodes)


def _find(function_id: int, nodes: Mapping[int, Node]) -> _CachedClosure | None:
    """Return the function's closure if it, or those of all its direct dependencies, are cached."""
    if (known := _find_cached(function_id, nodes)) is not None:
        return known
    node = nodes[function_id]
    bound = bound_links(node.links, nodes)
    targets = [link.target or 0 for link in bound if link.target != function_id]
    below = [closure for target in targets if (closure := _find_cached(target, nodes))]
    if len(below) < len(targets) or not node.elected:
        return None
    return _store({**_merge_modules(below), function_id: _module(node, nodes)}, nodes)


def _find_cached(function_id: int, nodes: Mapping[int, Node]) -> _CachedClosure | None:
    closure = _cache.get(function_id)
    is_current = closure and tuple(map(nodes.get, closure.watched)) == closure.nodes
    return closure if is_current else None  # fast, as nodes are usually identical objects


def _compute(function_ids: Sequence[int], nodes: Mapping[int, Node]) -> Modules | None:
    edges = bound_edges_of(nodes)
    components = find_components(function_ids, edges)
    members = [component[0] for component in components]
    named = [link.target for node in members for link in bound_links(nodes[node].links, nodes)]
    if (
        any(len(component) > 1 for component in components)
        or not all(nodes[node].elected for node in members)
        or not all(target in nodes for target in named)
    ):
        return None
    modules = {node: _module(nodes[node], nodes) for node in members}
    if len(function_ids) * len(modules) <= _MAX_CACHED_MODULES:
        for function_id in function_ids:
            # Each in its own order, as that of shared members depends on the start.
            _store({node: modules[node] for node in topological_order([function_id], edges)}, nodes)
    return modules


def _merge_modules(closures: Sequence[_CachedClosure]) -> Modules:
    return dict(
        chain.from_iterable(
            zip(closure.members, closure.modules, strict=True) for closure in closures
        )
    )


def _store(modules: Modules, nodes: Mapping[int, Node]) -> _CachedClosure:
    """Cache these modules as the closure of the last one."""
    optional = (
        link.target or 0 for node in modules for link in nodes[node].links if link.is_optional
    )
    watched = tuple(dict.fromkeys([*modules, *optional]))
    closure = _CachedClosure(
        tuple(modules), tuple(modules.values()), watched, tuple(map(nodes.get, watched))
    )
    if len(modules) <= _MAX_CACHED_MODULES:
        _cache.put(closure.members[-1], closure, len(modules) + _ENTRY_OVERHEAD)
    return closure


def _module(node: Node, nodes: Mapping[int, Node]) -> ModuleRow:
    bound = bound_links(node.links, nodes)
    targets = [link.target or 0 for link in bound if link.target != node.id]
    return module_row(node.name, node.sha256, [nodes[target].name for target in targets])
