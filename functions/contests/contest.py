"""A function's published works and their dependencies: the input of elections and programs."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from functions.contests.proposals import EMPTY_REGION, Region
from functions.contests.rules import Closure, rank
from functions.graph.algorithms import Edges, find_components, find_path, reachable
from functions.graph.closures import Modules, closure_modules
from functions.graph.nodes import Link, Node, bound_links, edges_of
from functions.models import Function, Implementation, Test

# The ids of an implementation and a test. Without a test, the pair stands for loading it.
Pair = tuple[int, int | None]
AnyWork = Implementation | Test


@dataclass(slots=True)
class Contest:
    """One function's implementations and tests, ordered by id, and their closures.

    Code isn't loaded; hashes identify it. `others` are the contests of the functions that are
    elected or tried together with this one.
    """

    function: Function
    implementations: list[Implementation]
    tests: list[Test]
    elected: Implementation | None  # by the last election; may have been withdrawn since
    nodes: dict[int, Node]  # all functions that the works lead to, sometimes including this one
    cycle: tuple[str, ...]  # names of its cycle's functions, including its own; empty: no cycle
    _links: dict[tuple[str, int], tuple[Link, ...]]
    others: list["Contest"] = field(default_factory=list)
    loaded: dict[int, Node] = field(
        default_factory=dict
    )  # the nodes as read, without later what-if changes
    is_imported_by_others: bool = False  # by an elected implementation of another owner's function
    # Caches by links: many works name the same few functions.
    _closures: dict[tuple[Link, ...], Closure] = field(default_factory=dict)
    _modules: dict[tuple[Link, ...], Modules | None] = field(default_factory=dict)
    _hashes: dict[tuple[Link, ...], bytes] = field(default_factory=dict)
    _proposed: list[Implementation] | None = None
    region: Region = EMPTY_REGION  # functions that may be tried together with it

    def links_of(self, work: AnyWork) -> tuple[Link, ...]:
        """Return the functions that the work names, except its own."""
        links = self._links.get((work.noun, work.pk), ())
        return tuple(link for link in links if link.target != self.function.pk)

    @property
    def targets(self) -> set[int]:
        """The ids of the functions that its works name."""
        return {link.target for each in self._links.values() for link in each if link.target}

    @property
    def originals(self) -> dict[int, str]:
        """The label of the original for each implementation that copies an older one's source."""
        first: dict[bytes, Implementation] = {}
        copies: dict[int, str] = {}
        for work in sorted(self.implementations, key=lambda work: (work.published_at, work.pk)):
            original = first.setdefault(bytes(work.source_sha256), work)
            if original is not work:
                copies[work.pk] = str(original)
        return copies

    @property
    def proposed(self) -> Implementation | None:
        """The candidate to try together with those of other functions, if nothing is elected.

        Without a possible cycle: the best candidate that only waits for implementations.
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
                key=rank,
                default=None,
            )
            self._proposed = [best] if best else []
        return self._proposed[0] if self._proposed else None

    @property
    def is_complete(self) -> bool:
        """Return whether all members of its cycle still exist and lead to each other."""
        return self.cycle_of(self.elected) == self.cycle

    def cycle_of(self, elected: Implementation | None) -> tuple[str, ...]:
        """Return the names of the cycle that electing this implementation makes; empty if none."""
        links = self.links_of(elected) if elected else ()
        cycle_group = _names_of(self.cycle_group_of(links, self._elected_edges))
        return tuple(sorted((self.function.name, *cycle_group))) if cycle_group else ()

    @property
    def choice(self) -> int | None:
        """The id of the elected implementation, else of the proposed one."""
        proposed = self.proposed
        return self.function.elected_id or (proposed.pk if proposed else None)

    @property
    def has_choice(self) -> bool:
        """Return whether the chosen implementation is still published."""
        return any(work.pk == self.choice for work in self.implementations)

    def closure_of(self, work: AnyWork) -> Closure:
        """Return the work's missing dependency or its path back to its own function.

        An implementation may do so through the functions that it is elected or tried with.
        """
        links = self.links_of(work)
        closure = self.closure_of_links(links)
        if not isinstance(work, Implementation):
            return closure
        if closure.cycle_path and self.cycle:
            cycle_group = self.cycle_group_of(links, self._elected_edges)
            if all(node.elected and node.cycle == self.cycle for node in cycle_group):
                return replace(closure, cycle_path=(), cycle_group=_names_of(cycle_group))
        elif closure.is_unimplemented and work == self.proposed:
            cycle_group = self.cycle_group_of(links, self._chosen_edges)
            if self._are_all_missing(cycle_group, links):
                return Closure(cycle_group=_names_of(cycle_group))
        return closure

    def cycle_group_of(self, links: tuple[Link, ...], edges: Edges | None = None) -> list[Node]:
        """Return the other functions that these links put into one cycle with this one, by name."""
        if self.modules_of(links) is not None:
            return []
        home, onwards = self.function.pk, edges or self._chosen_edges
        cycles = find_components(
            [home], lambda node: self.resolve(links) if node == home else onwards(node)
        )
        cycle = next(cycle for cycle in cycles if home in cycle)
        found = [self.nodes[node] for node in cycle if node != home]
        return sorted(found, key=lambda node: node.name)

    def closure_of_links(self, links: tuple[Link, ...]) -> Closure:
        """Return the closure of any links in code of this function; cached."""
        if links not in self._closures and self.modules_of(links) is not None:
            self._closures[links] = Closure()
        elif links not in self._closures:
            path = find_path(self.resolve(links), self.function.pk, self._elected_edges)
            missing, is_undefined = self._find_missing(links)
            cycle_path = tuple(self.nodes[node].name for node in path[:-1])
            self._closures[links] = Closure(
                missing, is_undefined=is_undefined, cycle_path=cycle_path
            )
        return self._closures[links]

    def hash_of_uses(self, test: Test) -> bytes:
        """Return a hash of all code that the test itself uses, except its own function."""
        links = self.links_of(test)
        if links not in self._hashes:
            reached = reachable(self.resolve(links), self._elected_edges)
            used = (self.nodes[node] for node in reached if node != self.function.pk)
            lines = sorted(f"{node.name}\0{node.sha256.hex()}" for node in used if node.elected)
            self._hashes[links] = hashlib.sha256("\n".join(lines).encode()).digest()
        return self._hashes[links]

    def modules_of(self, links: tuple[Link, ...]) -> Modules | None:
        """Return the modules of the closure of these links by function id, dependencies first.

        None unless everything in it exists and is elected, without any cycle. That is the usual
        case, and answers every question about the links at once; graphs are searched otherwise.
        """
        if links not in self._modules:
            resolve, bound = self.resolve(links), self._bound(links)
            modules = closure_modules(resolve, self.nodes) if len(resolve) == len(bound) else None
            leads_back = modules is not None and self._leads_back(modules)
            self._modules[links] = None if leads_back else modules
        return self._modules[links]

    def _leads_back(self, modules: Modules) -> bool:
        """Return whether one of these is this function, or would bind it if it were elected."""
        home = self.function.pk
        return home in self.nodes and (
            home in modules
            or any(link.target == home for node in modules for link in self.nodes[node].links)
        )

    def update_nodes(self, pool: Mapping[int, Node]) -> bool:
        """Take the other functions from these nodes; return whether any of them changed.

        Without a change, later what-if changes to `nodes` are kept.
        """
        resolve = [target for target in self.targets if target in pool]
        nodes = {node: pool[node] for node in reachable(resolve, edges_of(pool))}
        if nodes == self.loaded:
            return False
        self.nodes, self.loaded = nodes, dict(nodes)
        self._clear_caches()
        return True

    def propose(self, work: Implementation) -> None:
        """Propose this implementation until the nodes or works change."""
        self._proposed = [work]

    def propose_from(self, region: Region) -> None:
        """Propose the candidate that completes a cycle in this region, if there is one."""
        self.region = region
        if (work := self.find_implementation(region.choose().get(self.function.pk))) is not None:
            self.propose(work)

    def give_way(self, implementation_id: int) -> dict[str, Any]:
        """Propose the candidate after this one; return the new value of `Function.gave_way`."""
        chosen = self.region.choose_without(implementation_id)
        work = self.find_implementation(chosen.get(self.function.pk))
        self._proposed = [work] if work else []
        return self.region.give_way(self.function, implementation_id)

    def add_work(self, work: AnyWork) -> None:
        """Add a work as a candidate or a test."""
        if isinstance(work, Implementation):
            self.implementations.append(work)
        else:
            self.tests.append(work)
        self._clear_caches()

    def replace_node(self, function_id: int, node: Node | None, others: Mapping[int, Node]) -> None:
        """Replace another function's node hypothetically, or remove it; `others` are added."""
        self.nodes = {**self.nodes, **others}
        self.nodes.pop(function_id, None)
        if node is not None:
            self.nodes[function_id] = node
        self._clear_caches()

    def set_nodes(self, nodes: Mapping[int, Node], cycle: tuple[str, ...]) -> None:
        """Set all nodes, and the cycle that this function is in."""
        self.nodes, self.cycle = dict(nodes), cycle
        self._clear_caches()

    def with_node(self, node: Node, others: Mapping[int, Node]) -> "Contest":
        """Return a copy of this contest in which another function has this node."""
        nodes = {**others, **self.nodes, node.id: node}
        return replace(
            self, nodes=nodes, others=[], _closures={}, _modules={}, _hashes={}, _proposed=None
        )

    def node_electing(self, work: Implementation) -> Node:
        """Return the function's node as others would see it with this implementation elected."""
        return Node(
            id=self.function.pk,
            name=self.function.name,
            elected=work.pk,
            sha256=bytes(work.source_sha256),
            links=self.links_of(work),
            judging=False,
            digest=b"",
            cycle=self.cycle,
        )

    def resolve(self, links: Iterable[Link]) -> list[int]:
        """Return the ids of the existing functions that these links bind."""
        bound = self._bound(links)
        return [link.target for link in bound if link.target in self.nodes and link.target]

    def _bound(self, links: Iterable[Link]) -> list[Link]:
        """Return the links without optional ones to others that aren't elected.

        Those to this function stay, so that a cycle is found before it is closed.
        """
        links = list(links)
        if not any(link.is_optional for link in links):
            return links
        bound = {*bound_links(links, self.nodes)}
        return [link for link in links if link in bound or link.target == self.function.pk]

    def find_implementation(self, implementation_id: int | None) -> Implementation | None:
        """Return the published or elected implementation with this id."""
        works = (*self.implementations, *([self.elected] if self.elected else []))
        return next((work for work in works if work.pk == implementation_id), None)

    def awaits_dependency(self) -> bool:
        """Return whether a dependency of the elected implementation is being judged.

        Members of its own cycle don't count, as they are judged together with it.
        """
        if self.elected is None:
            return False
        links = self.links_of(self.elected)
        reached: Iterable[int] | None = self.modules_of(links)
        if reached is None:
            reached = reachable(self.resolve(links), self._elected_edges)
        others = (self.nodes[node] for node in reached)
        return any(node.judging for node in others if node.name not in self.cycle)

    def _elected_edges(self, node: int) -> list[int]:
        """Return the dependencies of an elected function; the contest's own has none here."""
        return self._chosen_edges(node) if self.nodes[node].elected else []

    def _chosen_edges(self, node: int) -> list[int]:
        """Return the dependencies of a function, whether elected or only proposed."""
        return [] if node == self.function.pk else self.resolve(self.nodes[node].links)

    def _are_all_missing(self, cycle_group: Sequence[Node], links: tuple[Link, ...]) -> bool:
        """Return whether exactly these functions, none of them elected, are missing."""
        theirs = {node.id for node in cycle_group}
        if not cycle_group or any(node.elected for node in cycle_group):
            return False
        reached = reachable(self.resolve(links), self._chosen_edges)
        others = [self.nodes[node] for node in reached if node != self.function.pk]
        named = [*links, *(link for node in others for link in node.links)]
        return all(node.elected or node.id in theirs for node in others) and all(
            link.target in self.nodes or link.target == self.function.pk or link.is_optional
            for link in named
        )

    def _clear_caches(self) -> None:
        self._closures.clear()
        self._hashes.clear()
        self._modules.clear()
        self._proposed = None

    def _find_missing(self, links: Sequence[Link]) -> tuple[str, bool]:
        """Return a missing name in the closure, and whether no function has that name."""
        without = ""
        nodes = [self.nodes[node] for node in reachable(self.resolve(links), self._elected_edges)]
        others = [node for node in nodes if node.id != self.function.pk]
        bound = [link for node in others if node.elected for link in node.links]
        for link in [*links, *bound]:
            is_there = link.target is not None and link.target in self.nodes
            if not is_there and not link.is_optional:
                return link.name, True
        for node in others:
            if node.elected is None:
                without = without or node.name
        return without, False


def _names_of(nodes: Iterable[Node]) -> tuple[str, ...]:
    return tuple(node.name for node in nodes)
