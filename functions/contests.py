"""A function's published work, with everything that it binds: what elections and programs need."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Q

from functions.closure import find_path, reach
from functions.models import Dependency, Function, Implementation, Test, Work
from functions.querysets import closure_ids
from functions.ranking import Closure

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
    sha256: bytes  # of that one's source
    links: tuple[Link, ...]
    judging: bool
    digest: bytes


@dataclass(slots=True)
class Contest:
    """One function's implementations and tests in the order of their ids, and their closures.

    Their code isn't loaded: what it is shows in its hash.
    """

    function: Function
    implementations: list[Implementation]
    tests: list[Test]
    elected: Implementation | None  # by the last election; it may have been withdrawn since
    nodes: dict[int, Node]  # whatever the works lead to; maybe, but not always, the function itself
    _links: dict[tuple[str, int], tuple[Link, ...]]
    # Many works name the same functions, and few functions are named.
    _closures: dict[tuple[Link, ...], Closure] = field(default_factory=dict)

    def links_of(self, work: AnyWork) -> tuple[Link, ...]:
        """Return what the work names, its own function apart."""
        links = self._links.get((work.noun, work.pk), ())
        return tuple(link for link in links if link.target != self.function.pk)

    def closure_of(self, work: AnyWork) -> Closure:
        """Tell whether everything that the work needs is there, and whether it leads back."""
        return self.closure_of_links(self.links_of(work))

    def closure_of_links(self, links: tuple[Link, ...]) -> Closure:
        """Tell the same of any names in code of this function."""
        if links not in self._closures:
            path = find_path(self.known(links), self.function.pk, self._elected_edges)
            lacking, is_missing = self._find_lacking(links)
            round_trip = tuple(self.nodes[node].name for node in path[:-1])
            self._closures[links] = Closure(lacking, is_missing=is_missing, round_trip=round_trip)
        return self._closures[links]

    def reload_nodes(self) -> bool:
        """Look at the other functions anew; false if they are as they were."""
        nodes = load_nodes(self._targets())
        is_changed = nodes != self.nodes
        self.nodes = nodes
        self._closures.clear()
        return is_changed

    def suppose(self, function_id: int, node: Node | None, others: Mapping[int, Node]) -> None:
        """Let another function be what it isn't: none, or a node that leads to these others."""
        self.nodes = {**others, **self.nodes}
        self.nodes.pop(function_id, None)
        if node is not None:
            self.nodes[function_id] = node
        self._closures.clear()

    def known(self, links: Iterable[Link]) -> list[int]:
        """Return the functions that these names mean, as far as there are any."""
        return [link.target for link in links if link.target in self.nodes and link.target]

    def find(self, implementation_id: int | None) -> Implementation | None:
        """Return the published or elected implementation of this id."""
        works = (*self.implementations, *([self.elected] if self.elected else []))
        return next((work for work in works if work.pk == implementation_id), None)

    def awaits_another(self) -> bool:
        """Tell whether something that the elected implementation imports is being judged."""
        if self.elected is None:
            return False
        starts = self.known(self.links_of(self.elected))
        return any(self.nodes[node].judging for node in reach(starts, self._elected_edges))

    def _targets(self) -> set[int]:
        return {link.target for each in self._links.values() for link in each if link.target}

    def _elected_edges(self, node: int) -> list[int]:
        """Return what a function leads to; the contest's own is where every way ends."""
        return [] if node == self.function.pk else self.known(self.nodes[node].links)

    def _find_lacking(self, links: Sequence[Link]) -> tuple[str, bool]:
        """Find a name in the closure that is missing, or else one without an implementation."""
        without = ""
        nodes = [self.nodes[node] for node in reach(self.known(links), self._elected_edges)]
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
    """Load all published work of a function in six queries; a draft brings its links along."""
    published = {"function": function, "state": Work.State.PUBLISHED}
    implementations = list(Implementation.objects.filter(**published).defer("code").order_by("id"))
    tests = list(Test.objects.filter(**published).defer("code").order_by("id"))
    elected = next((work for work in implementations if work.pk == function.elected_id), None)
    if elected is None:  # it was withdrawn, or there is none
        elected = function.elected
    runners = [*implementations, *([elected] if elected else [])]
    links = _load_links([work.pk for work in runners], [test.pk for test in tests])
    if draft is not None:
        links[draft.noun, draft.pk] = draft_links
    contest = Contest(function, implementations, tests, elected, {}, links)
    contest.reload_nodes()
    return contest


def load_nodes(function_ids: set[int]) -> dict[int, Node]:
    """Load these functions and what they lead to, in three queries, if there are any."""
    if not function_ids:
        return {}
    rows = list(
        Function.objects.filter(pk__in=closure_ids(function_ids), deleted_at=None).values_list(
            "id", "name", "elected_id", "elected__source_sha256", "judging", "closure_digest"
        )
    )
    links = _load_links([elected for _, _, elected, *_ in rows if elected], [])
    return {
        pk: Node(
            id=pk,
            name=name,
            elected=elected,
            sha256=bytes(sha256 or b""),
            links=links.get((Implementation.noun, elected or 0), ()),
            judging=judging,
            digest=bytes(digest),
        )
        for pk, name, elected, sha256, judging, digest in rows
    }


def _load_links(
    implementations: Sequence[int], tests: Sequence[int]
) -> dict[tuple[str, int], tuple[Link, ...]]:
    if not implementations and not tests:
        return {}
    naming = Q(implementation__in=implementations) | Q(test__in=tests)
    rows = Dependency.objects.filter(naming).order_by("id")
    links: dict[tuple[str, int], tuple[Link, ...]] = {}
    for implementation, test, name, target in rows.values_list(
        "implementation", "test", "name", "target"
    ):
        key = (Implementation.noun, implementation) if implementation else (Test.noun, test)
        links[key] = (*links.get(key, ()), Link(name, target))
    return links
