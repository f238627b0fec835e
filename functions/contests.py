"""A function's published work, with everything that it binds: what elections and programs need."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from functions.closure import find_path, order, reach
from functions.models import Dependency, Function, Implementation, Test, Work
from functions.querysets import closure_ids
from functions.ranking import Closure
from runner.programs import PreparedProgram, make_program, source_hash
from runner.sandbox import Module

# An implementation's id with a test's, or with none: does it load?
Pair = tuple[int, int | None]
AnyWork = Implementation | Test


@dataclass(frozen=True, slots=True)
class Link:
    """A name in some code, and the function that it means; none while there is none."""

    name: str
    target: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A function as others see it: its elected implementation and what that one names."""

    id: int
    name: str
    elected: int | None
    source: str
    links: tuple[Link, ...]
    judging: bool
    digest: bytes


@dataclass(slots=True)
class Contest:
    """One function's implementations and tests in the order of their ids, and their closures."""

    function: Function
    implementations: list[Implementation]
    tests: list[Test]
    elected: Implementation | None  # by the last election; it may have been withdrawn since
    nodes: dict[int, Node]
    _links: dict[tuple[str, int], tuple[Link, ...]]

    def links_of(self, work: AnyWork) -> tuple[Link, ...]:
        """Return what the work names, its own function apart."""
        links = self._links.get((work.noun, work.pk), ())
        return tuple(link for link in links if link.target != self.function.pk)

    def closure_of(self, work: AnyWork) -> Closure:
        """Tell whether everything that the work needs is there, and whether it leads back."""
        return self.closure_of_links(self.links_of(work))

    def closure_of_links(self, links: Sequence[Link]) -> Closure:
        """Tell the same of any names in code of this function."""
        path = find_path(self._known(links), self.function.pk, self._elected_edges)
        lacking, is_missing = self._find_lacking(links)
        round_trip = tuple(self.nodes[node].name for node in path[:-1])
        return Closure(lacking, is_missing=is_missing, round_trip=round_trip)

    def find(self, implementation_id: int | None) -> Implementation | None:
        """Return the published or elected implementation of this id."""
        works = (*self.implementations, *([self.elected] if self.elected else []))
        return next((work for work in works if work.pk == implementation_id), None)

    def awaits_another(self) -> bool:
        """Tell whether something that the elected implementation imports is being judged."""
        if self.elected is None:
            return False
        starts = self._known(self.links_of(self.elected))
        return any(self.nodes[node].judging for node in reach(starts, self._elected_edges))

    def program(self, implementation: Implementation, test: Test | None) -> PreparedProgram | None:
        """Return what this pair means now; None if something that it needs is missing.

        The function means this implementation everywhere, also where others import it.
        """
        home = self.function.pk
        links = self.links_of(implementation)
        edges = {home: self._known(links)}
        test_links = self.links_of(test) if test else ()
        if self._find_lacking([*links, *test_links])[0]:
            return None

        def edges_of(node: int) -> Sequence[int]:
            return edges[node] if node == home else self._known(self.nodes[node].links)

        own = order([home], edges_of)
        members = order([home, *self._known(test_links)], edges_of) if test_links else own
        modules = [self._module(node, implementation, edges_of(node)) for node in members]
        if test:
            modules.append(self._test_module(test, modules))
        return make_program(
            modules=modules,
            entry="test" if test else "load",
            subject=self.function.name,
            tag=_tag(modules[: len(own)]),  # its own come first
        )

    def _module(self, node: int, implementation: Implementation, targets: Sequence[int]) -> Module:
        is_home = node == self.function.pk
        name = self.function.name if is_home else self.nodes[node].name
        source = implementation.code if is_home else self.nodes[node].source
        binds = tuple(self._name(target) for target in targets if target != node)
        return Module(name, source, binds)

    def _test_module(self, test: Test, modules: Sequence[Module]) -> Module:
        name, taken = "test", {module.name for module in modules}
        while name in taken:
            name += "_"
        targets = self._known(self.links_of(test))
        binds = (self.function.name, *(self._name(target) for target in targets))
        return Module(name, test.code, binds)

    def _name(self, node: int) -> str:
        return self.function.name if node == self.function.pk else self.nodes[node].name

    def _known(self, links: Iterable[Link]) -> list[int]:
        return [link.target for link in links if link.target in self.nodes and link.target]

    def _elected_edges(self, node: int) -> list[int]:
        """Return what a function leads to; the contest's own is where every way ends."""
        return [] if node == self.function.pk else self._known(self.nodes[node].links)

    def _find_lacking(self, links: Sequence[Link]) -> tuple[str, bool]:
        """Find a name in the closure that is missing, or else one without an implementation."""
        without = ""
        nodes = [self.nodes[node] for node in reach(self._known(links), self._elected_edges)]
        others = [node for node in nodes if node.id != self.function.pk]
        for link in [*links, *(link for node in others for link in node.links)]:
            if link.target is None or link.target not in self.nodes:
                return link.name, True
        for node in others:
            if node.elected is None:
                without = without or node.name
        return without, False


def load_contest(
    function: Function, *, draft: AnyWork | None = None, draft_links: tuple[Link, ...] = ()
) -> Contest:
    """Load all published work of a function in seven queries; a draft brings its links along."""
    published = {"function": function, "state": Work.State.PUBLISHED}
    implementations = list(Implementation.objects.filter(**published).order_by("id"))
    tests = list(Test.objects.filter(**published).order_by("id"))
    elected = next((w for w in implementations if w.pk == function.elected_id), function.elected)
    links = _load_links([*implementations, *tests, *([elected] if elected else [])])
    if draft is not None:
        links[draft.noun, draft.pk] = draft_links
    targets = {link.target for each in links.values() for link in each if link.target}
    nodes = load_nodes({*targets, function.pk})
    return Contest(function, implementations, tests, elected, nodes, links)


def load_nodes(function_ids: set[int]) -> dict[int, Node]:
    """Load these functions and what they lead to, in three queries."""
    reached = closure_ids(function_ids)
    functions = list(
        Function.objects.filter(pk__in=reached, deleted_at=None).select_related("elected")
    )
    links = _load_links([function.elected for function in functions if function.elected])
    return {
        function.pk: Node(
            id=function.pk,
            name=function.name,
            elected=function.elected_id,
            source=function.elected.code if function.elected else "",
            links=links.get((Implementation.noun, function.elected_id or 0), ()),
            judging=function.judging,
            digest=bytes(function.closure_digest),
        )
        for function in functions
    }


def _load_links(
    works: Sequence[AnyWork],
) -> dict[tuple[str, int], tuple[Link, ...]]:
    links: dict[tuple[str, int], tuple[Link, ...]] = {}
    for noun in (Implementation.noun, Test.noun):
        ids = {work.pk for work in works if work.noun == noun}
        rows = Dependency.objects.filter(**{f"{noun}__in": ids}).order_by("id") if ids else ()
        for row in rows:
            key = (noun, getattr(row, f"{noun}_id"))
            links[key] = (*links.get(key, ()), Link(row.name, row.target_id))
    return links


def _tag(modules: Iterable[Module]) -> str:
    """Return what all programs have in common that load the same modules first."""
    digest = hashlib.sha256()
    for module in modules:
        digest.update(module.name.encode() + b"\0" + source_hash(module.source))
    return digest.hexdigest()
