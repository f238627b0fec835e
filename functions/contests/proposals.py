"""Candidates that functions without an implementation may be tried with, together with others."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection

from functions.contests.cycle_candidates import CycleCandidate, choose_cycles, find_who_gives_way
from functions.contests.rules import election_order
from functions.graph.algorithms import reachable
from functions.models import Dependency, Function, Implementation, Test, Work

# The closure of these functions' candidates, up to functions with an elected implementation.
# (LATERAL ... OFFSET 0: as in `functions.graph.queries`.)
_REGION = """
    WITH RECURSIVE region (id) AS (
        SELECT unnest(%s::bigint[])
      UNION
        SELECT named.target_id FROM region CROSS JOIN LATERAL (
            SELECT dependency.target_id
            FROM functions_function AS f
            JOIN functions_implementation AS work
                ON work.function_id = f.id AND work.state = 'published'
                AND work.acceptable IS DISTINCT FROM false
            JOIN functions_dependency AS dependency ON dependency.implementation_id = work.id
            WHERE f.id = region.id AND f.elected_id IS NULL AND f.deleted_at IS NULL
                AND dependency.target_id IS NOT NULL AND NOT dependency.is_optional
            OFFSET 0
        ) AS named
    )
    SELECT id FROM region
"""

_Used = tuple[str, str]  # status and closure digest of an elected function, else empty


@dataclass(frozen=True, slots=True)
class Region:
    """Functions that may be tried together, their candidates, and candidates that gave way."""

    candidates: dict[int, list[CycleCandidate]]
    gave_way: frozenset[int]
    basis: str  # a hash of all inputs of their runs

    def choose(self) -> dict[int, int]:
        """Return the ids of the candidates to try by function, where they complete a cycle."""
        chosen = choose_cycles(self.candidates, self.gave_way)
        return {function: candidate.id for function, candidate in chosen.items()}

    def find_who_gives_way(self, failed: Collection[int]) -> int | None:
        """Return the function, of those that failed together, to try with its next candidate."""
        if not self.candidates.keys() >= set(failed):
            return None
        return find_who_gives_way(self.candidates, self.gave_way, failed)

    def give_way(self, function: Function, implementation_id: int) -> dict[str, Any]:
        """Return the value of `Function.gave_way` after this implementation has given way."""
        former = _given_way(function.gave_way, self.basis)
        return {"basis": self.basis, "works": sorted({*former, implementation_id})}

    def choose_without(self, implementation_id: int) -> dict[int, int]:
        """Return the choice after this implementation has given way, too."""
        chosen = choose_cycles(self.candidates, {*self.gave_way, implementation_id})
        return {function: candidate.id for function, candidate in chosen.items()}


EMPTY_REGION = Region({}, frozenset(), "")


def load_regions(function_ids: Collection[int]) -> dict[int, Region]:
    """Load each function's region: all functions that may be tried together with it."""
    if not function_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_REGION, [sorted(function_ids)])
        ids = [pk for (pk,) in cursor]
    rows = _load(ids)
    regions: dict[frozenset[int], Region] = {}
    found: dict[int, Region] = {}
    for pk in function_ids:
        inside = frozenset(reachable([pk], rows.edges))
        if inside not in regions:
            regions[inside] = rows.region(sorted(inside & rows.functions.keys()))
        found[pk] = regions[inside]
    return found


class _Rows(NamedTuple):
    """Rows of functions that may be tried together, and of those that they name."""

    functions: dict[int, Function]
    works: dict[int, list[dict[str, Any]]]  # published implementations, by function
    tests: dict[int, list[dict[str, Any]]]
    targets: dict[tuple[str, int], dict[int | None, _Used]]  # the functions that each work names

    def edges(self, function_id: int) -> list[int]:
        """Return the functions that candidates of a function without an implementation name."""
        works = self.works.get(function_id, ()) if function_id in self.functions else ()
        return [
            target
            for work in works
            if work["acceptable"] is not False
            for target in self.targets.get((Implementation.noun, work["id"]), ())
            if target
        ]

    def region(self, ids: Sequence[int]) -> Region:
        """Return the region of these functions, the closure of one of them."""
        basis = self._basis(ids)
        waiting = [pk for pk in ids if pk in self.works]
        gave_way = (_given_way(self.functions[pk].gave_way, basis) for pk in waiting)
        return Region(
            candidates={pk: self._candidates(pk) for pk in waiting},
            gave_way=frozenset().union(*gave_way),
            basis=basis,
        )

    def _candidates(self, function_id: int) -> list[CycleCandidate]:
        """Return the candidates that only wait for implementations, best first."""
        found: list[CycleCandidate] = []
        sources = set[bytes]()
        for work in sorted(self.works[function_id], key=_age):
            source = bytes(work["source_sha256"])
            is_copy = source in sources
            sources.add(source)
            used = self.targets.get((Implementation.noun, work["id"]), {})
            needs = {pk for pk in used.keys() - {function_id} if pk in self.works}
            others = used.keys() - needs - {function_id}
            is_unsatisfiable = any(self._is_out_of_reach(target) for target in others)
            if needs and not (is_copy or is_unsatisfiable or work["acceptable"] is False):
                own = work["id"], work["score"], work["published_at"], frozenset(map(int, needs))
                found.append(CycleCandidate(*own))
        return election_order(found)

    def _is_out_of_reach(self, target: int | None) -> bool:
        """Return whether a named function doesn't exist, or exists and can't be run."""
        function = self.functions.get(target or 0)
        return function is None or function.status != Function.Status.IMPLEMENTED

    def _basis(self, ids: Sequence[int]) -> str:
        """Return a hash of everything that decides about these functions, apart from runs."""
        rows: list[Any] = []
        for noun, works in ((Implementation.noun, self.works), (Test.noun, self.tests)):
            for work in (work for pk in ids for work in works.get(pk, ())):
                used = self.targets.get((noun, work["id"]), {})
                seen = sorted((pk or 0, *each) for pk, each in used.items())
                rows.append([noun, work["id"], work["score"], work["acceptable"], seen])
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def _load(ids: Sequence[int]) -> _Rows:
    living = Function.objects.filter(pk__in=ids, deleted_at=None)
    functions = {row.pk: row for row in living.only("elected", "status", "gave_way", "chase")}
    waiting = [
        pk for pk, row in functions.items() if row.elected_id is None and row.chase_id is None
    ]
    works = _load_works(Implementation, waiting, "published_at", "source_sha256")
    tests = _load_works(Test, waiting)
    return _Rows(functions, works, tests, {**_load_targets(works), **_load_targets(tests)})


def _load_works(
    model: type[Implementation | Test], function_ids: Sequence[int], *more: str
) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {pk: [] for pk in function_ids}
    rows = model.objects.filter(function__in=function_ids, state=Work.State.PUBLISHED)
    for work in rows.order_by("id").values("id", "function", "score", "acceptable", *more):
        found[work["function"]].append({"noun": model.noun, **work})
    return found


def _load_targets(
    works: Mapping[int, Iterable[Mapping[str, Any]]],
) -> dict[tuple[str, int], dict[int | None, _Used]]:
    """Return the functions that each work names, with status and digest where elected."""
    nouns = {work["id"]: work["noun"] for each in works.values() for work in each}
    found: dict[tuple[str, int], dict[int | None, _Used]] = {}
    for noun in set(nouns.values()):
        rows = Dependency.objects.filter(is_optional=False, **{f"{noun}__in": list(nouns)})
        fields = (
            "target__deleted_at",
            "target__elected",
            "target__status",
            "target__closure_digest",
        )
        for pk, target, deleted_at, elected, status, digest in rows.values_list(
            noun, "target", *fields
        ):
            is_there = target is not None and deleted_at is None
            used = (status or "", bytes(digest or b"").hex()) if is_there and elected else ("", "")
            found.setdefault((noun, pk), {})[target if is_there else None] = used
    return found


def _age(work: Mapping[str, Any]) -> tuple[Any, int]:
    return work["published_at"], work["id"]


def _given_way(gave_way: Mapping[str, Any] | None, basis: str) -> list[int]:
    """Return the implementations that gave way, unless something has changed since."""
    works: list[int] = gave_way["works"] if gave_way and gave_way["basis"] == basis else []
    return works
