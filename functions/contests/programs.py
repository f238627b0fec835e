"""What pairs of implementations and tests mean now: their keys at once, whole programs on request.

A function has as many pairs as implementations times tests, and few of them are to be run. So a
key is made from hashes alone, and everything that pairs share is put together once.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from functions.contests.contest import AnyWork, Contest, Pair
from functions.graph.algorithms import group
from functions.graph.nodes import Link
from functions.models import Implementation, Test
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
from runner.programs.text_cache import TextCache
from runner.sandbox import Module

Keys = dict[Pair, bytes | None]
_Links = tuple[Link, ...]


_codes = TextCache(max_bytes=4_000_000)


class _Run(NamedTuple):
    """What pairs that name the same things execute."""

    members: list[int]  # the functions, dependencies first
    test_name: str  # a module's name that none of them has


class Meanings:
    """What the pairs of one contest mean, as long as the contest stays as it is.

    The function means the pair's implementation everywhere, also where others import it. `work` is
    one of theirs, or a draft beside them, whose code is at hand; `codes` are others that are.
    Keys can be had as of another `runtime`, which may not have known what functions return, and
    programs of the present one.
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
        # Of programs that test; older runtimes didn't know it.
        self._returns = returns_of(function.signature) if knows_returns else ""
        self._codes = tuple(codes)
        works = [*contest.implementations, *contest.tests, *([work] if work else [])]
        self._implementations = {w.pk: w for w in works if isinstance(w, Implementation)}
        self._tests = {work.pk: work for work in works if isinstance(work, Test)}
        self._links = {(work.noun, work.pk): contest.links_of(work) for work in works}
        self._hashes = {(work.noun, work.pk): _hash_of(work) for work in works}
        self._runs: dict[tuple[_Links, _Links], _Run] = {}
        self._node_rows: dict[int, ModuleRow] = {}
        self._test_rows: dict[tuple[int, str], ModuleRow] = {}
        self._test_keys: dict[tuple[int, _Links], Callable[[ModuleRow], bytes] | None] = {}
        self._foreign = {test.pk: other for other in contest.others for test in other.tests}
        self._through: dict[tuple[int, int], Meanings] = {}

    def keys(self, pairs: Iterable[Pair]) -> Keys:
        """Return what each pair means; None where something is missing or goes in circles."""
        return {pair: self._key(*pair) for pair in pairs}

    def programs(self, pairs: Collection[Pair]) -> dict[Pair, PreparedProgram]:
        """Return whole programs; only of pairs that have a key."""
        return build_programs([(self, pairs)])[0]

    def needed(self, pairs: Iterable[Pair]) -> tuple[dict[str, int], dict[str, int]]:
        """Return the implementations and tests whose code these programs need, by its hashes."""
        own = [pair for pair in pairs if pair[1] not in self._foreign]
        members = {node for pair in own for node in self._run(*pair).members}
        nodes = self._contest.nodes
        # Those that were chosen when the contest was loaded, whoever is by now.
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
        """Return whole programs, given all codes that were needed, by their hashes."""
        works = (*self._implementations.values(), *self._tests.values())
        codes = [*self._codes, *(work.code for work in works if "code" in work.__dict__)]
        sources = {**loaded, **{source_hash(code).hex(): code for code in codes}}
        own = [pair for pair in pairs if pair[1] not in self._foreign]
        programs = {pair: self._program(pair, self._run(*pair), sources) for pair in own}
        return programs | self._foreign_programs([pair for pair in pairs if pair not in programs])

    def _elsewhere(self, implementation: int, test: int) -> tuple["Meanings", Pair]:
        """Return what another function's test means with this implementation: of theirs, a pair."""
        other = self._foreign[test]
        place = (implementation, other.function.pk)
        if place not in self._through:
            node = self._contest.node_with(self._implementations[implementation])
            self._through[place] = Meanings(
                other.supposing(node, self._contest.nodes),
                runtime=self._runtime,
                knows_returns=self._knows_returns,
            )
        return self._through[place], (other.choice or 0, test)

    def _foreign_programs(self, pairs: Iterable[Pair]) -> dict[Pair, PreparedProgram]:
        elsewhere = {pair: self._elsewhere(pair[0], pair[1] or 0) for pair in pairs}
        wanted: dict[Meanings, list[Pair]] = {}
        for meanings, theirs in elsewhere.values():
            wanted.setdefault(meanings, []).append(theirs)
        built = dict(zip(wanted, build_programs(list(wanted.items())), strict=True))
        return {pair: built[meanings][theirs] for pair, (meanings, theirs) in elsewhere.items()}

    def _key(self, implementation: int, test: int | None) -> bytes | None:
        if test in self._foreign:
            meanings, theirs = self._elsewhere(implementation, test or 0)
            return meanings.keys([theirs])[theirs]
        test_links = self._links[Test.noun, test] if test else ()
        if test is None:
            if not self._is_whole(implementation, ()):
                return None
            rows = self._rows(implementation, self._run(implementation, None).members)
            return program_key(rows, entry="load", **self._subject)
        place = (implementation, test_links)
        if place not in self._test_keys:
            self._test_keys[place] = self._keys_of_tests(implementation, test, test_links)
        key_of = self._test_keys[place]
        if key_of is None:
            return None
        return key_of(self._test_row(test, self._run(implementation, test).test_name))

    def _keys_of_tests(
        self, implementation: int, test: int, test_links: _Links
    ) -> Callable[[ModuleRow], bytes] | None:
        """Return what gives the keys of this implementation with tests that name the same."""
        if not self._is_whole(implementation, test_links):
            return None
        rows = self._rows(implementation, self._run(implementation, test).members)
        return last_module_key_builder(rows, entry="test", returns=self._returns, **self._subject)

    def _is_whole(self, implementation: int, test_links: _Links) -> bool:
        closure = self._contest.closure_of(self._implementations[implementation])
        if closure.round_trip or closure.lacking:
            return False
        return not self._contest.closure_of_links(test_links).lacking

    def _run(self, implementation: int, test: int | None) -> _Run:
        links = self._links[Implementation.noun, implementation]
        test_links = self._links[Test.noun, test] if test else ()
        if (links, test_links) not in self._runs:
            members = self._members(links, test_links)
            test_name = _free_name({self._name(node) for node in members})
            self._runs[links, test_links] = _Run(members, test_name)
        return self._runs[links, test_links]

    def _members(self, links: _Links, test_links: _Links) -> list[int]:
        """Return the functions that these names lead to, and the contest's own."""
        home, known = self._contest.function.pk, self._contest.known
        own, more = self._contest.survey(links), self._contest.survey(test_links)
        if own is not None and more is not None:
            self._node_rows |= own | more
            return list(dict.fromkeys([*own, home, *more]))

        def edges(node: int) -> list[int]:
            return known(links if node == home else self._contest.nodes[node].links)

        # Those that go round have no order of their own: every one of them finds the same.
        groups = group([home, *known(test_links)], edges)
        return [node for circle in groups for node in sorted(circle, key=self._name)]

    def _rows(self, implementation: int, members: Iterable[int]) -> list[ModuleRow]:
        return [
            self._home_row(implementation)
            if node == self._contest.function.pk
            else self._node_row(node)
            for node in members
        ]

    def _home_row(self, implementation: int) -> ModuleRow:
        place = (Implementation.noun, implementation)
        name = self._contest.function.name
        return module_row(name, self._hashes[place], self._names(self._links[place]))

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
        return [self._name(target) for target in self._contest.known(links)]

    def _name(self, node: int) -> str:
        home = self._contest.function
        return home.name if node == home.pk else self._contest.nodes[node].name

    def _program(self, pair: Pair, run: _Run, sources: Mapping[str, str]) -> PreparedProgram:
        implementation, test = pair
        rows = self._rows(implementation, run.members)
        own = len(self._run(implementation, None).members)
        if test:
            rows.append(self._test_row(test, run.test_name))
        return make_program(
            modules=[Module(name, sources[sha256], binds) for name, sha256, binds in rows],
            entry="test" if test else "load",
            subject=self._contest.function.name,
            kind=self._contest.function.kind,
            returns=self._returns if test else "",
            tag=_tag(rows[:own]),  # its own come first
        )


def build_programs(
    wanted: Sequence[tuple[Meanings, Collection[Pair]]],
) -> list[dict[Pair, PreparedProgram]]:
    """Return whole programs of many contests; their code is loaded in two queries at most."""
    needed = [meanings.needed(pairs) for meanings, pairs in wanted]
    implementations = {sha256: pk for each, _ in needed for sha256, pk in each.items()}
    tests = {sha256: pk for _, each in needed for sha256, pk in each.items()}
    loaded = _load_codes(Implementation, implementations) | _load_codes(Test, tests)
    return [meanings.build(pairs, loaded) for meanings, pairs in wanted]


def _load_codes(model: type[AnyWork], works: Mapping[str, int]) -> dict[str, str]:
    """Return the codes of works by their hashes; what is imported by many is read once."""
    found = _codes.find(works)
    if missing := [pk for sha256, pk in works.items() if sha256 not in found]:
        codes = model.objects.filter(pk__in=missing).values_list("code", flat=True)
        read = {source_hash(code).hex(): code for code in codes}
        _codes.keep(read)
        found |= read
    return found


def _free_name(taken: Collection[str]) -> str:
    name = "test"
    while name in taken:
        name += "_"
    return name


def _hash_of(work: AnyWork) -> bytes:
    return bytes(work.source_sha256) or source_hash(work.code)


def _tag(rows: Iterable[ModuleRow]) -> str:
    """Return what all programs have in common that load the same modules first."""
    named = [name.encode() + b"\0" + bytes.fromhex(sha256) for name, sha256, _ in rows]
    return hashlib.sha256(b"".join(named)).hexdigest()
