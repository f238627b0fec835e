"""Dependencies as they are shown: a name with the standing of what bears it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import Func, Q, QuerySet

from functions.models import Dependency, Function, Work
from functions.models.searching import has_id_among
from functions.read_models.prepared_queries import Parameter, PreparedQuery, is_among
from functions.source.names import name_key

MISSING = "missing"
# What a link shows of a function: never the text of the implementation that comes along.
_FIELDS = (
    *("name", "name_key", "status", "untested", "judging", "circle"),
    *("archived_at", "deleted_at"),
)
_ELECTED_FIELDS = ("number", "score")


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionLink:
    """A function by name; `status` is `missing` when there is none of that name."""

    name: str
    status: str
    untested: bool = False
    judging: bool = False
    archived: bool = False
    elected_number: int | None = None  # of its current implementation
    score: int | None = None  # of its current implementation
    circle: tuple[str, ...] = ()  # the functions elected together with it, itself among them

    @property
    def key(self) -> str:
        """The name as markers are compared, without regard to case."""
        return name_key(self.name)

    @property
    def is_missing(self) -> bool:
        return self.status == MISSING


def link_to(function: Function) -> FunctionLink:
    """Return the link to a function loaded with its elected implementation."""
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
    """Return what a marker leads to; the function's own spelling wins over the marker's."""
    target = dependency.target
    if target is None or target.deleted_at is not None:
        return FunctionLink(name=dependency.name, status=MISSING)
    return link_to(target)


def links_of_works(
    *, implementations: Collection[int] = (), tests: Collection[int] = ()
) -> tuple[dict[int, list[FunctionLink]], dict[int, list[FunctionLink]]]:
    """Return the links of these implementations and tests by their id, in one query."""
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
    """Return where these names lead, by their keys; what there is none of is missing."""
    keys = {name_key(name): FunctionLink(name=name, status=MISSING) for name in sorted(names)}
    if not keys:
        return {}
    living = Function.objects.filter(name_key__in=keys, deleted_at=None)
    return keys | {f.name_key: link_to(f) for f in living.select_related("elected")}


def distinct(links: Iterable[FunctionLink]) -> tuple[FunctionLink, ...]:
    """Return each function once, in the order of first mention."""
    return tuple({link.key: link for link in links}.values())


def functions_naming(function: Function, *, most: int | None = None) -> list[Function]:
    """Return the functions whose published works name this one, as links need them.

    By name; or with `most`, at least so many of them in no order, at the cost of so many.
    """
    return _naming_one(most).rows(function=function.pk)


@cache
def _naming_one(most: int | None) -> PreparedQuery[Function]:
    def write() -> QuerySet[Function]:
        found = naming(Q(target=Parameter("function")), most=most).exclude(pk=Parameter("function"))
        # Sorted, so few would be looked for among all functions in their order.
        return found if most is None else found.order_by()

    return PreparedQuery(write)


def functions_missing(name: str) -> QuerySet[Function]:
    """Return the functions whose published works name something that does not exist."""
    return naming(Q(target=None, name_key=name_key(name)))


def naming(dependencies: Q, *, most: int | None = None) -> QuerySet[Function]:
    """Return the functions with a published work that has such a dependency, by name.

    With `most`, only some works that have it are looked at: twice as many, since several may be of
    one function.
    """
    first, second = (
        Dependency.objects.filter(dependencies, **{f"{noun}__state": Work.State.PUBLISHED}).values(
            f"{noun}__function"
        )[: most and 2 * most]
        for noun in ("implementation", "test")
    )
    ids: QuerySet[Any, Any] = first.union(second)
    return as_linked(has_id_among(ids)).order_by("name_key")


def as_linked(wanted: Q | Func) -> QuerySet[Function]:
    """Return those of these functions that there are, with what links show of them."""
    return (
        Function.objects.filter(wanted, deleted_at=None)
        .select_related("elected")
        .only(*_FIELDS, *(f"elected__{field}" for field in _ELECTED_FIELDS))
    )
