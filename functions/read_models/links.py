"""Links: names of dependencies with the status of their functions."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import Func, Q, QuerySet

from functions.models import Dependency, Function, Work
from functions.models.search_expressions import has_id_among
from functions.names import name_key
from functions.read_models.prepared_queries import Parameter, PreparedQuery, is_among

MISSING = "missing"
# The fields that links show, without code.
_FIELDS = (
    *("name", "name_key", "status", "untested", "judging", "circle"),
    *("archived_at", "deleted_at"),
)
_ELECTED_FIELDS = ("number", "score")


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionLink:
    """A function by name; `status` is `missing` if the name is undefined."""

    name: str
    status: str
    untested: bool = False
    judging: bool = False
    archived: bool = False
    elected_number: int | None = None  # of its current implementation
    score: int | None = None  # of its current implementation
    circle: tuple[str, ...] = ()  # names of its cycle's functions, including its own

    @property
    def key(self) -> str:
        """The case-insensitive key of the name."""
        return name_key(self.name)

    @property
    def is_missing(self) -> bool:
        return self.status == MISSING


def link_to(function: Function) -> FunctionLink:
    """Return the link to a function, which is loaded with its elected implementation."""
    elected = function.elected
    return FunctionLink(
        name=function.name,
        status=function.status,
        untested=function.untested,
        judging=function.judging,
        archived=function.archived_at is not None,
        elected_number=elected.number if elected else None,
        score=elected.score if elected else None,
        circle=tuple(function.circle),
    )


def link_of(dependency: Dependency) -> FunctionLink:
    """Return the link of a dependency, in the function's own spelling."""
    target = dependency.target
    if target is None or target.deleted_at is not None:
        return FunctionLink(name=dependency.name, status=MISSING)
    return link_to(target)


def links_of_works(
    *, implementations: Collection[int] = (), tests: Collection[int] = ()
) -> tuple[dict[int, list[FunctionLink]], dict[int, list[FunctionLink]]]:
    """Return the links of these implementations and tests by id, in one query."""
    of_implementations: dict[int, list[FunctionLink]] = {}
    of_tests: dict[int, list[FunctionLink]] = {}
    for dependency in _OF_WORKS.rows(implementations=[*implementations], tests=[*tests]):
        if dependency.implementation_id is not None:
            of_implementations.setdefault(dependency.implementation_id, []).append(
                link_of(dependency)
            )
        elif dependency.test_id is not None:
            of_tests.setdefault(dependency.test_id, []).append(link_of(dependency))
    return of_implementations, of_tests


def _of_works() -> QuerySet[Dependency]:
    works = Q(is_among("implementation", Parameter("implementations")))
    works |= Q(is_among("test", Parameter("tests")))
    shown = Dependency.objects.filter(works).select_related("target__elected").order_by("id")
    return shown.only(
        *("implementation", "test", "name", "target"),
        *(f"target__{field}" for field in _FIELDS),
        *(f"target__elected__{field}" for field in _ELECTED_FIELDS),
    )


_OF_WORKS = PreparedQuery(_of_works)


def links_named(names: Collection[str]) -> dict[str, FunctionLink]:
    """Return the links of these names, by name key."""
    keys = {name_key(name): FunctionLink(name=name, status=MISSING) for name in sorted(names)}
    if not keys:
        return {}
    living = Function.objects.filter(name_key__in=keys, deleted_at=None)
    return keys | {f.name_key: link_to(f) for f in living.select_related("elected")}


def distinct(links: Iterable[FunctionLink]) -> tuple[FunctionLink, ...]:
    """Return the links without duplicates, in order of first mention."""
    return tuple({link.key: link for link in links}.values())


def functions_naming(function: Function, *, most: int | None = None) -> list[Function]:
    """Return the functions whose published works name this one, loaded for links.

    Sorted by name; with `most`, unsorted and at least that many, at bounded cost.
    """
    return _naming_one(most).rows(function=function.pk)


@cache
def _naming_one(most: int | None) -> PreparedQuery[Function]:
    def write() -> QuerySet[Function]:
        found = naming(Q(target=Parameter("function")), most=most).exclude(pk=Parameter("function"))
        # With a sort order, the planner would read all functions to find a few.
        return found if most is None else found.order_by()

    return PreparedQuery(write)


def functions_missing(name: str) -> QuerySet[Function]:
    """Return the functions whose published works use this undefined name."""
    return naming(Q(target=None, name_key=name_key(name)))


def naming(dependencies: Q, *, most: int | None = None) -> QuerySet[Function]:
    """Return the functions with a published work that has such a dependency, by name.

    With `most`, only twice that many works are read, as several may be of one function.
    """
    first, second = (
        Dependency.objects.filter(dependencies, **{f"{noun}__state": Work.State.PUBLISHED}).values(
            f"{noun}__function"
        )[: most and 2 * most]
        for noun in ("implementation", "test")
    )
    ids: QuerySet[Any, Any] = first.union(second)
    return as_linked(has_id_among(ids)).order_by("name_key")


def as_linked(condition: Q | Func) -> QuerySet[Function]:
    """Return the existing ones of these functions, loaded for links."""
    return (
        Function.objects.filter(condition, deleted_at=None)
        .select_related("elected")
        .only(*_FIELDS, *(f"elected__{field}" for field in _ELECTED_FIELDS))
    )
