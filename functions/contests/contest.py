"""A function's published work, with everything that it binds: what elections and programs need."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from functions.contests.proposals import NOWHERE, Region
from functions.contests.rules import Closure
from functions.graph.algorithms import Edges, find_path, group, reach
from functions.graph.closures import Modules, find_modules
from functions.graph.nodes import Link, Node, edges_of
from functions.models import Function, Implementation, Test

# An implementation's id with a test's, or with none: does it load?
Pair = tuple[int, int | None]
AnyWork = Implementation | Test


@dataclass(slots=True)
class Contest:
    """One function's implementations and tests in the order of their ids, and their closures.

    Their code isn't loaded: what it is shows in its hash. `others` are the contests of the
    functions that are elected, or tried, together with this one.
    """

    function: Function
    implementations: list[Implementation]
    tests: list[Test]
    elected: Implementation | None  # by the last election; it may have been withdrawn since
    nodes: dict[int, Node]  # whatever the works lead to; maybe, but not always, the function itself
    circle: tuple[str, ...]  # the functions elected with it, and itself; empty: it is alone
    _links: dict[tuple[str, int], tuple[Link, ...]]
    others: list["Contest"] = field(default_factory=list)
    loaded: dict[int, Node] = field(default_factory=dict)  # the nodes, whatever is supposed since
    is_imported_by_others: bool = False  # what a function of another owner has elected names it
    # Many works name the same functions, and few functions are named.
    _closures: dict[tuple[Link, ...], Closure] = field(default_factory=dict)
    _surveys: dict[tuple[Link, ...], Modules | None] = field(default_factory=dict)
    _hashes: dict[tuple[Link, ...], bytes] = field(default_factory=dict)
    _proposed: list[Implementation] | None = None
    region: Region = NOWHERE  # of functions that may be tried together with it

    def links_of(self, work: AnyWork) -> tuple[Link, ...]:
        """Return what the work names, its own function apart."""
        links = self._links.get((work.noun, work.pk), ())
        return tuple(link for link in links if link.target != self.function.pk)

    @property
    def targets(self) -> set[int]:
        """The functions that its works name."""
        return {link.target for each in self._links.values() for link in each if link.target}

    @property
    def originals(self) -> dict[int, str]:
        """Return for each copy of an older source what it is a copy of."""
        first: dict[bytes, Implementation] = {}
        copies: dict[int, str] = {}
        for work in sorted(self.implementations, key=lambda work: (work.published_at, work.pk)):
            original = first.setdefault(bytes(work.source_sha256), work)
            if original is not work:
                copies[work.pk] = str(original)
        return copies

    @property
    def proposed(self) -> Implementation | None:
        """The candidate to be elected together with others', if nothing else is elected.

        Where no circle can be made yet: the best that lacks nothing but implementations.
        """
        if self.function.elected_id is not None or self.function.chase_id is not None:
            return None
        if self._proposed is None:
            copies = self.originals
            best = max(
                filter(
                    lambda work: (
                        work.acceptable is not False
                        and work.pk not in copies
                        and self.closure_of_links(self.links_of(work)).is_unimplemented
                    ),
                    self.implementations,
                ),
                key=lambda work: (work.score, work.published_at, work.pk),
                default=None,
            )
            self._proposed = [best] if best else []
        return self._proposed[0] if self._proposed else None

    @property
    def is_whole(self) -> bool:
        """Tell whether all of its circle are there still, and lead to each other."""
        return self.circle_of(self.elected) == self.circle

    def circle_of(self, elected: Implementation | None) -> tuple[str, ...]:
        """Return the circle that is there with this one elected; empty if it goes round nowhere."""
        links = self.links_of(elected) if elected else ()
        company = _names_of(self.company_of(links, self._elected_edges))
        return tuple(sorted((self.function.name, *company))) if company else ()

    @property
    def choice(self) -> int | None:
        """The id of what is elected, or else proposed."""
        proposed = self.proposed
        return self.function.elected_id or (proposed.pk if proposed else None)

    @property
    def has_choice(self) -> bool:
        """Tell whether that has not been withdrawn since."""
        return any(work.pk == self.choice for work in self.implementations)

    def closure_of(self, work: AnyWork) -> Closure:
        """Tell whether everything that the work needs is there, and whether it leads back.

        An implementation may lead back through those that it is elected or tried together with.
        """
        links = self.links_of(work)
        closure = self.closure_of_links(links)
        if not isinstance(work, Implementation):
            return closure
        if closure.round_trip and self.circle:
            company = self.company_of(links, self._elected_edges)
            if all(node.elected and node.circle == self.circle for node in company):
                return replace(closure, round_trip=(), company=_names_of(company))
        elif closure.is_unimplemented and work == self.proposed:
            company = self.company_of(links, self._chosen_edges)
            if self._is_all_it_lacks(company, links):
                return Closure(company=_names_of(company))
        return closure

    def company_of(self, links: tuple[Link, ...], edges: Edges | None = None) -> list[Node]:
        """Return the others that this function goes round with by these names, by theirs."""
        if self.survey(links) is not None:
            return []
        home, onwards = self.function.pk, edges or self._chosen_edges
        circles = group([home], lambda node: self.known(links) if node == home else onwards(node))
        circle = next(circle for circle in circles if home in circle)
        found = [self.nodes[node] for node in circle if node != home]
        return sorted(found, key=lambda node: node.name)

    def closure_of_links(self, links: tuple[Link, ...]) -> Closure:
        """Tell the same of any names in code of this function."""
        if links not in self._closures and self.survey(links) is not None:
            self._closures[links] = Closure()
        elif links not in self._closures:
            path = find_path(self.known(links), self.function.pk, self._elected_edges)
            lacking, is_missing = self._find_lacking(links)
            round_trip = tuple(self.nodes[node].name for node in path[:-1])
            self._closures[links] = Closure(lacking, is_missing=is_missing, round_trip=round_trip)
        return self._closures[links]

    def hash_of_uses(self, test: Test) -> bytes:
        """Return a hash of all that a test itself would have executed, its own function apart."""
        links = self.links_of(test)
        if links not in self._hashes:
            reached = reach(self.known(links), self._elected_edges)
            used = (self.nodes[node] for node in reached if node != self.function.pk)
            lines = sorted(f"{node.name}\0{node.sha256.hex()}" for node in used if node.elected)
            self._hashes[links] = hashlib.sha256("\n".join(lines).encode()).digest()
        return self._hashes[links]

    def survey(self, links: tuple[Link, ...]) -> Modules | None:
        """Return all that these names lead to as modules, by their ids, dependencies first.

        None unless all of that is elected and there, and nothing of it goes round, be it through
        this function or beside it. Mostly it is so, and then this one look answers all that is
        asked of a work's names; ways are followed only where it isn't.
        """
        if links not in self._surveys:
            known = self.known(links)
            modules = find_modules(known, self.nodes) if len(known) == len(links) else None
            leads_back = modules is not None and self.function.pk in modules
            self._surveys[links] = None if leads_back else modules
        return self._surveys[links]

    def see_loaded(self, pool: Mapping[int, Node]) -> bool:
        """Let the other functions be what they are among these; false if they are as they were.

        Then they stay as they have been supposed to be since.
        """
        known = [target for target in self.targets if target in pool]
        nodes = {node: pool[node] for node in reach(known, edges_of(pool))}
        if nodes == self.loaded:
            return False
        self.nodes, self.loaded = nodes, dict(nodes)
        self._forget()
        return True

    def propose(self, work: Implementation) -> None:
        """Let this one be proposed until something changes, where nothing is elected."""
        self._proposed = [work]

    def propose_of(self, region: Region) -> None:
        """Propose what a circle can be made with among these, if any can."""
        self.region = region
        if (work := self.find(region.choose().get(self.function.pk))) is not None:
            self.propose(work)

    def give_way(self, implementation_id: int) -> dict[str, Any]:
        """Go on to the candidate after this one; returns what the function's row says of that."""
        chosen = self.region.choose_without(implementation_id)
        work = self.find(chosen.get(self.function.pk))
        self._proposed = [work] if work else []
        return self.region.give_way(self.function, implementation_id)

    def enter(self, work: AnyWork) -> None:
        """Let another work be a candidate, or a test, as well."""
        if isinstance(work, Implementation):
            self.implementations.append(work)
        else:
            self.tests.append(work)
        self._forget()

    def suppose(self, function_id: int, node: Node | None, others: Mapping[int, Node]) -> None:
        """Let another function be what it isn't: none, or a node that leads to these others."""
        self.nodes = {**self.nodes, **others}
        self.nodes.pop(function_id, None)
        if node is not None:
            self.nodes[function_id] = node
        self._forget()

    def see(self, nodes: Mapping[int, Node], circle: tuple[str, ...]) -> None:
        """Let the other functions, and the circle that this one is in, be what they become."""
        self.nodes, self.circle = dict(nodes), circle
        self._forget()

    def supposing(self, node: Node, others: Mapping[int, Node]) -> "Contest":
        """Return this contest as it were with another function like this."""
        nodes = {**others, **self.nodes, node.id: node}
        return replace(
            self, nodes=nodes, others=[], _closures={}, _surveys={}, _hashes={}, _proposed=None
        )

    def node_with(self, work: Implementation) -> Node:
        """Return this function as others would see it with this one elected."""
        return Node(
            id=self.function.pk,
            name=self.function.name,
            elected=work.pk,
            sha256=bytes(work.source_sha256),
            links=self.links_of(work),
            judging=False,
            digest=b"",
            circle=self.circle,
        )

    def known(self, links: Iterable[Link]) -> list[int]:
        """Return the functions that these names mean, as far as there are any."""
        return [link.target for link in links if link.target in self.nodes and link.target]

    def find(self, implementation_id: int | None) -> Implementation | None:
        """Return the published or elected implementation of this id."""
        works = (*self.implementations, *([self.elected] if self.elected else []))
        return next((work for work in works if work.pk == implementation_id), None)

    def awaits_another(self) -> bool:
        """Tell whether something that the elected implementation imports is being judged.

        Those in its circle are judged with it.
        """
        if self.elected is None:
            return False
        links = self.links_of(self.elected)
        reached: Iterable[int] | None = self.survey(links)
        if reached is None:
            reached = reach(self.known(links), self._elected_edges)
        others = (self.nodes[node] for node in reached)
        return any(node.judging for node in others if node.name not in self.circle)

    def _elected_edges(self, node: int) -> list[int]:
        """Return what a function leads to; the contest's own is where every way ends."""
        return self._chosen_edges(node) if self.nodes[node].elected else []

    def _chosen_edges(self, node: int) -> list[int]:
        """Return the same, also by what is only proposed."""
        return [] if node == self.function.pk else self.known(self.nodes[node].links)

    def _is_all_it_lacks(self, company: Sequence[Node], links: tuple[Link, ...]) -> bool:
        """Tell whether these, all of them without an implementation, are all that is not there."""
        theirs = {node.id for node in company}
        if not company or any(node.elected for node in company):
            return False
        reached = reach(self.known(links), self._chosen_edges)
        others = [self.nodes[node] for node in reached if node != self.function.pk]
        named = [*links, *(link for node in others for link in node.links)]
        return all(node.elected or node.id in theirs for node in others) and all(
            link.target in self.nodes or link.target == self.function.pk for link in named
        )

    def _forget(self) -> None:
        self._closures.clear()
        self._hashes.clear()
        self._surveys.clear()
        self._proposed = None

    def _find_lacking(self, links: Sequence[Link]) -> tuple[str, bool]:
        """Find a name in the closure that is missing, or else one without an implementation."""
        without = ""
        nodes = [self.nodes[node] for node in reach(self.known(links), self._elected_edges)]
        others = [node for node in nodes if node.id != self.function.pk]
        bound = [link for node in others if node.elected for link in node.links]
        for link in [*links, *bound]:
            if link.target is None or link.target not in self.nodes:
                return link.name, True
        for node in others:
            if node.elected is None:
                without = without or node.name
        return without, False


def _names_of(nodes: Iterable[Node]) -> tuple[str, ...]:
    return tuple(node.name for node in nodes)
