"""Builds the program and cache key for each (implementation, test) pair.

Keys are cheap: they are made from hashes alone, and parts that pairs share are built once. Full
programs are built on demand, as few pairs have to be run.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from functions.contests.contest import AnyWork, Contest, Pair
from functions.graph.algorithms import find_components
from functions.graph.nodes import Link
from functions.models import MODULE_SOURCE, Implementation, Test
from functions.source.validation import returns_of
from runner.programs.program import (
    ModuleRow,
    PreparedProgram,
    last_module_key_builder,
    make_program,
    module_row,
    program_key,
    source_hash,
)
from runner.programs.sources import read_sources
from runner.programs.text_cache import TextCache
from runner.sandbox import Module

Keys = dict[Pair, bytes | None]
_Links = tuple[Link, ...]


_codes = TextCache(max_bytes=4_000_000)


class _ModuleOrder(NamedTuple):
    """The modules that all pairs with the same links execute."""

    members: list[int]  # the functions, dependencies first
    links: _Links  # of the implementation
    test_name: str  # the test's module name, which none of them has


class ProgramBuilder:
    """Builds keys and programs of one contest's pairs, as long as the contest doesn't change.

    The pair's implementation takes the function's place everywhere, also where others import it.
    `work` is one of the contest's works, or a draft, with its code loaded; `codes` are more loaded
    sources. Keys can be built for a former `runtime` (with `knows_returns` false, for one whose
    keys didn't contain return types); programs always are of the current one.
    """

    def __init__(
        self,
        contest: Contest,
        *,
        work: AnyWork | None = None,
        codes: Iterable[str] = (),
        runtime: str = "",
        knows_returns: bool = True,
    ) -> None:
        self._contest = contest
        self._runtime = runtime
        self._knows_returns = knows_returns
        function = contest.function
        self._subject: dict[str, str] = {
            "subject": function.name,
            "kind": function.kind,
            "runtime": runtime,
        }
        # For programs with a test; older runtimes didn't have it.
        self._returns = returns_of(function.signature) if knows_returns else ""
        self._codes = tuple(codes)
        works = [*contest.implementations, *contest.tests, *([work] if work else [])]
        self._implementations = {w.pk: w for w in works if isinstance(w, Implementation)}
        self._tests = {work.pk: work for work in works if isinstance(work, Test)}
        self._links = {(work.noun, work.pk): contest.links_of(work) for work in works}
        self._hashes = {(work.noun, work.pk): _source_hash(work) for work in works}
        self._orders: dict[tuple[_Links, _Links], _ModuleOrder] = {}
        self._node_rows: dict[int, ModuleRow] = {}
        self._test_rows: dict[tuple[int, str], ModuleRow] = {}
        self._test_keys: dict[tuple[int, _Links], Callable[[ModuleRow], bytes] | None] = {}
        self._foreign = {test.pk: other for other in contest.others for test in other.tests}
        self._foreign_builders: dict[tuple[int, int], ProgramBuilder] = {}

    def keys(self, pairs: Iterable[Pair]) -> Keys:
        """Return each pair's key; None if something is missing or circular."""
        return {pair: self._key(*pair) for pair in pairs}

    def test_module(self, pair: Pair) -> str:
        """Return the name of the module that the pair's test is in its program."""
        return self._order(*pair).test_name

    def programs(self, pairs: Collection[Pair]) -> dict[Pair, PreparedProgram]:
        """Return the programs of these pairs, all of which must have a key."""
        return build_programs([(self, pairs)])[0]

    def needed_code(self, pairs: Iterable[Pair]) -> tuple[dict[str, int], dict[str, int]]:
        """Return the ids of the implementations and tests to load code from, by its hash."""
        own = [pair for pair in pairs if pair[1] not in self._foreign]
        members = {node for pair in own for node in self._order(*pair).members}
        nodes = self._contest.nodes
        # As chosen when the contest was loaded, even if that has changed since.
        others = {
            nodes[node].sha256.hex(): nodes[node].choice or 0
            for node in members - {self._contest.function.pk}
        }
        return (
            others | self._deferred(self._implementations[pk] for pk, _ in own),
            self._deferred(self._tests[test] for _, test in own if test),
        )

    def _deferred(self, works: Iterable[AnyWork]) -> dict[str, int]:
        return {
            self._hashes[work.noun, work.pk].hex(): work.pk
            for work in works
            if "code" not in work.__dict__
        }

    def build(
        self, pairs: Collection[Pair], loaded: Mapping[str, str]
    ) -> dict[Pair, PreparedProgram]:
        """Return the programs of these pairs, given all needed code by its hash."""
        works = (*self._implementations.values(), *self._tests.values())
        loaded_here = (work.module_source for work in works if "code" in work.__dict__)
        codes = [*self._codes, *loaded_here]
        sources = {**loaded, **{source_hash(code).hex(): code for code in codes}}
        own = [pair for pair in pairs if pair[1] not in self._foreign]
        programs = {pair: self._program(pair, self._order(*pair), sources) for pair in own}
        return programs | self._foreign_programs([pair for pair in pairs if pair not in programs])

    def _foreign_pair(self, implementation: int, test: int) -> tuple["ProgramBuilder", Pair]:
        """Return the builder and pair of another function's test with this implementation."""
        other = self._foreign[test]
        place = (implementation, other.function.pk)
        if place not in self._foreign_builders:
            node = self._contest.node_electing(self._implementations[implementation])
            self._foreign_builders[place] = ProgramBuilder(
                other.with_node(node, self._contest.nodes),
                runtime=self._runtime,
                knows_returns=self._knows_returns,
            )
        return self._foreign_builders[place], (other.choice or 0, test)

    def _foreign_programs(self, pairs: Iterable[Pair]) -> dict[Pair, PreparedProgram]:
        foreign = {pair: self._foreign_pair(pair[0], pair[1] or 0) for pair in pairs}
        wanted: dict[ProgramBuilder, list[Pair]] = {}
        for builder, theirs in foreign.values():
            wanted.setdefault(builder, []).append(theirs)
        built = dict(zip(wanted, build_programs(list(wanted.items())), strict=True))
        return {pair: built[builder][theirs] for pair, (builder, theirs) in foreign.items()}

    def _key(self, implementation: int, test: int | None) -> bytes | None:
        if test in self._foreign:
            builder, theirs = self._foreign_pair(implementation, test or 0)
            return builder.keys([theirs])[theirs]
        test_links = self._links[Test.noun, test] if test else ()
        if test is None:
            if not self._is_complete(implementation, ()):
                return None
            run = self._order(implementation, None)
            rows = self._rows(implementation, run)
            return program_key(rows, entry="load", **self._subject)
        place = (implementation, test_links)
        if place not in self._test_keys:
            self._test_keys[place] = self._keys_of_tests(implementation, test, test_links)
        key_of = self._test_keys[place]
        if key_of is None:
            return None
        return key_of(self._test_row(test, self._order(implementation, test).test_name))

    def _keys_of_tests(
        self, implementation: int, test: int, test_links: _Links
    ) -> Callable[[ModuleRow], bytes] | None:
        """Return a function that makes this implementation's keys with tests of these links."""
        if not self._is_complete(implementation, test_links):
            return None
        rows = self._rows(implementation, self._order(implementation, test))
        return last_module_key_builder(rows, entry="test", returns=self._returns, **self._subject)

    def _is_complete(self, implementation: int, test_links: _Links) -> bool:
        closure = self._contest.closure_of(self._implementations[implementation])
        if closure.cycle_path or closure.missing:
            return False
        return not self._contest.closure_of_links(test_links).missing

    def _order(self, implementation: int, test: int | None) -> _ModuleOrder:
        links = self._links[Implementation.noun, implementation]
        if test is None and all(link.is_optional for link in links):
            links = ()  # It loads without them, so it needn't be loaded again when they change.
        test_links = self._links[Test.noun, test] if test else ()
        if (links, test_links) not in self._orders:
            members = self._members(links, test_links)
            test_name = _free_name({self._name(node) for node in members})
            self._orders[links, test_links] = _ModuleOrder(members, links, test_name)
        return self._orders[links, test_links]

    def _members(self, links: _Links, test_links: _Links) -> list[int]:
        """Return all functions in the closures of these links and the contest's own, in order."""
        home, known = self._contest.function.pk, self._contest.resolve
        own, more = self._contest.modules_of(links), self._contest.modules_of(test_links)
        if own is not None and more is not None:
            self._node_rows |= own | more
            return list(dict.fromkeys([*own, home, *more]))

        def edges(node: int) -> list[int]:
            return known(links if node == home else self._contest.nodes[node].links)

        # Members of a cycle are ordered by name, so that the order is the same from each of them.
        groups = find_components([home, *known(test_links)], edges)
        return [node for cycle in groups for node in sorted(cycle, key=self._name)]

    def _rows(self, implementation: int, run: _ModuleOrder) -> list[ModuleRow]:
        return [
            self._home_row(implementation, run.links)
            if node == self._contest.function.pk
            else self._node_row(node)
            for node in run.members
        ]

    def _home_row(self, implementation: int, links: _Links) -> ModuleRow:
        sha256 = self._hashes[Implementation.noun, implementation]
        return module_row(self._contest.function.name, sha256, self._names(links))

    def _node_row(self, node: int) -> ModuleRow:
        if node not in self._node_rows:
            found = self._contest.nodes[node]
            others = [link for link in found.links if link.target != node]
            self._node_rows[node] = module_row(found.name, found.sha256, self._names(others))
        return self._node_rows[node]

    def _test_row(self, test: int, name: str) -> ModuleRow:
        if (test, name) not in self._test_rows:
            place = (Test.noun, test)
            binds = [self._contest.function.name, *self._names(self._links[place])]
            self._test_rows[test, name] = module_row(name, self._hashes[place], binds)
        return self._test_rows[test, name]

    def _names(self, links: Iterable[Link]) -> list[str]:
        return [self._name(target) for target in self._contest.resolve(links)]

    def _name(self, node: int) -> str:
        home = self._contest.function
        return home.name if node == home.pk else self._contest.nodes[node].name

    def _program(
        self, pair: Pair, run: _ModuleOrder, sources: Mapping[str, str]
    ) -> PreparedProgram:
        implementation, test = pair
        rows = self._rows(implementation, run)
        own = len(self._members(run.links, ()))
        if test:
            rows.append(self._test_row(test, run.test_name))
        return make_program(
            modules=[Module(name, sources[sha256], binds) for name, sha256, binds in rows],
            entry="test" if test else "load",
            subject=self._contest.function.name,
            kind=self._contest.function.kind,
            returns=self._returns if test else "",
            tag=_tag(rows[:own]),  # the implementation's modules come first
        )


def build_programs(
    wanted: Sequence[tuple[ProgramBuilder, Collection[Pair]]],
) -> list[dict[Pair, PreparedProgram]]:
    """Return the programs of many contests, loading code in at most two queries."""
    needed = [builder.needed_code(pairs) for builder, pairs in wanted]
    implementations = {sha256: pk for each, _ in needed for sha256, pk in each.items()}
    tests = {sha256: pk for _, each in needed for sha256, pk in each.items()}
    loaded = _load_codes(Implementation, implementations) | _load_codes(Test, tests)
    return [builder.build(pairs, loaded) for builder, pairs in wanted]


def _load_codes(model: type[AnyWork], works: Mapping[str, int]) -> dict[str, str]:
    """Return the works' code by its hash, from a cache where possible."""
    found = _codes.find(works)
    if missing := [pk for sha256, pk in works.items() if sha256 not in found]:
        codes = model.objects.filter(pk__in=missing).values_list(MODULE_SOURCE, flat=True)
        read = {source_hash(code).hex(): code for code in codes}
        _codes.keep(read)
        found |= read
    if former := works.keys() - found.keys():  # documents were revised since
        found |= read_sources(sorted(former))
    return found


def _free_name(taken: Collection[str]) -> str:
    name = "test"
    while name in taken:
        name += "_"
    return name


def _source_hash(work: AnyWork) -> bytes:
    return bytes(work.source_sha256) or source_hash(work.module_source)


def _tag(rows: Iterable[ModuleRow]) -> str:
    """Return a tag that programs share if they load the same modules first."""
    named = [name.encode() + b"\0" + bytes.fromhex(sha256) for name, sha256, _ in rows]
    return hashlib.sha256(b"".join(named)).hexdigest()
