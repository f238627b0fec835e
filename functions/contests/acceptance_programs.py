"""Builds the programs of acceptance tests from current implementations."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from functions.graph.algorithms import reachable, topological_order
from functions.graph.nodes import Node, bound_edges_of, load_nodes
from functions.graph.queries import living_functions
from functions.models import MODULE_SOURCE, AcceptanceTest, Dependency, Implementation, Work
from functions.source.markers import find_markers
from functions.source.validation import returns_of
from runner.programs.program import PreparedProgram, make_program, source_hash
from runner.sandbox import Module

Nodes = Mapping[int, Node]


class AcceptanceProgram(NamedTuple):
    """A program, or the reason for which there is none (the test is asleep)."""

    program: PreparedProgram | None
    asleep: str = ""


def program_of(
    test: AcceptanceTest, *, supposed: Nodes | None = None, codes: Iterable[str] = ()
) -> AcceptanceProgram:
    """Return the test's current program, or its program with `supposed` nodes instead.

    `codes` are sources that need not be loaded. The test imports the current implementation of its
    target, and that of its own function if that can be run.
    """
    if test.target.deleted_at is not None:
        return AcceptanceProgram(None, f"{test.target.name} was deleted")
    if not _is_used(test):
        return AcceptanceProgram(None, f"{test.function.name} does not use {test.target.name}")
    marked = find_markers(test.code).first_by_key()
    found = living_functions(marked)
    if missing := marked.keys() - found.keys():
        return AcceptanceProgram(None, f"{marked[min(missing)].name} does not exist")
    named = [test.target_id, *(function.pk for function in found.values())]
    nodes = {**load_nodes({*named, test.function_id}), **(supposed or {})}
    if asleep := _find_missing(named, nodes):
        return AcceptanceProgram(None, asleep)
    if not _find_missing([test.function_id], nodes):
        named.append(test.function_id)
    return AcceptanceProgram(_program(test, list(dict.fromkeys(named)), nodes, codes))


def _is_used(test: AcceptanceTest) -> bool:
    """Return whether the function's current implementation, else any, names the target."""
    naming = Dependency.objects.filter(target=test.target_id)
    if test.function.elected_id:
        return naming.filter(implementation=test.function.elected_id).exists()
    published = {
        "implementation__function": test.function_id,
        "implementation__state": Work.State.PUBLISHED,
    }
    return naming.filter(**published).exists()


def _edges(nodes: Nodes, node: int) -> list[int]:
    return bound_edges_of(nodes)(node)


def _find_missing(starts: Iterable[int], nodes: Nodes) -> str:
    for pk in reachable(starts, lambda node: _edges(nodes, node) if node in nodes else []):
        if pk not in nodes:
            return "something that it uses does not exist"
        if nodes[pk].elected is None:
            return f"{nodes[pk].name} has no current implementation"
        for link in nodes[pk].links:
            if link.target not in nodes and not link.is_optional:
                return f"{link.name} does not exist"
    return ""


def _program(
    test: AcceptanceTest, named: list[int], nodes: Nodes, codes: Iterable[str]
) -> PreparedProgram:
    members = topological_order(named, lambda node: _edges(nodes, node))
    elected = [pk for node in members if (pk := nodes[node].elected)]
    stored = Implementation.objects.filter(pk__in=elected).values_list(MODULE_SOURCE, flat=True)
    sources = {source_hash(code): code for code in (*stored, *codes)}
    modules = [
        Module(
            nodes[node].name,
            sources[nodes[node].sha256],
            tuple(nodes[to].name for to in _edges(nodes, node) if to != node),
        )
        for node in members
    ]
    name = "test"
    while name in {module.name for module in modules}:
        name += "_"
    modules.append(Module(name, test.code, tuple(nodes[node].name for node in named)))
    return make_program(
        modules=modules,
        entry="test",
        subject=test.target.name,
        kind=test.target.kind,
        returns=returns_of(test.target.signature),
    )
