"""Applications: pages with the functions, documents and collections behind them."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, F, Func, Max, Q, QuerySet, TextField, Value
from django.db.models.functions import Lower
from django.utils.translation import gettext as _

from functions.collections.rules import may_manage, may_see
from functions.graph.queries import piece_ids
from functions.kinds.collection_reads import CollectionRead
from functions.kinds.page_source import find_reads
from functions.models import (
    AcceptanceTest,
    Collection,
    Dependency,
    Function,
    Implementation,
    Role,
    Test,
    Work,
)
from functions.names import name_key
from functions.read_models.application_needs import Need, Task, needs_of
from functions.read_models.function import function_named
from functions.read_models.links import MISSING, FunctionLink, link_to
from functions.read_models.not_found import or_404
from functions.read_models.snapshot import snapshot
from runner.registry import Actor

KIND = "page"
MAX_PIECES = 300
MAX_TESTS = 500  # challenges and broken tests that are read
MAX_EDGES = 5_000
_TEXT = TextField()


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A function that the application is made of, or a name that is missing."""

    link: FunctionLink
    kind: str  # empty if it is missing
    description: str
    author: str  # of its current implementation, or empty
    tests: int  # number of those that count
    test_authors: tuple[str, ...]
    used_by: tuple[str, ...]  # other pieces
    needs: tuple[Need, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItems:
    """A collection that the page reads or may change.

    `collection` is None if there is none of this name, or it is hidden from the reader.
    """

    name: str
    collection: Collection | None
    queries: tuple[str, ...]  # with which the page reads it; none: it doesn't declare it
    changes: bool  # whether its owner has listed the page


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributor:
    """A person with what they wrote of the application."""

    name: str
    implementations: tuple[str, ...]  # names of pieces
    tested: tuple[str, ...]  # names of pieces
    tests: int  # number of tests that count


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """A page with everything behind it, as one reader may see it."""

    function: Function
    pieces: tuple[Piece, ...]  # the page first, then the nearest
    is_all: bool
    collections: tuple[StoredItems, ...]
    people: tuple[Contributor, ...]  # most pieces first
    needs: tuple[Need, ...]


class _Tests(NamedTuple):
    total: int
    authors: tuple[tuple[str, int], ...]


def page_or_404(name: str) -> Function:
    """Return the page of this name, case-insensitively. Raises Http404."""
    found = function_named(name)
    is_page = found is not None and found.kind == KIND
    return or_404(found if is_page else None, _("There is no such page."))


def application(page: Function, actor: Actor) -> Application:
    """Return the application of a page, in a constant number of queries.

    Of a function without a current implementation, all that is published counts, as in a graph.
    Raises Function.DoesNotExist if the page was deleted meanwhile.
    """
    with snapshot():
        ids = piece_ids(page.pk, MAX_PIECES + 1)
        found = {function.pk: function for function in _functions(ids[:MAX_PIECES])}
        if page.pk not in found:
            raise Function.DoesNotExist
        functions = [found[pk] for pk in ids if pk in found]
        used_by, missing = _edges(found)
        tests = _counting_tests(found)
        collections = _collections(functions[0], actor)
        needs = needs_of(
            functions,
            missing=missing,
            tests={pk: counted.total for pk, counted in tests.items()},
            challenged=_weak_tests(found),
            failing=_failing(found),
            refused=_refused(found),
        )
    needs += [need for stored in collections for need in _needs_of_collection(page, stored)]
    pieces = [_piece(function, tests, used_by, needs) for function in functions]
    pieces += [_missing_piece(name, users, needs) for name, users in missing.items()]
    return Application(
        function=functions[0],
        pieces=tuple(pieces),
        is_all=len(ids) <= MAX_PIECES,
        collections=collections,
        people=_people(functions, tests),
        needs=tuple(sorted(needs, key=lambda need: need.task.rank)),
    )


def _functions(ids: Sequence[int]) -> QuerySet[Function]:
    found = Function.objects.filter(pk__in=ids, deleted_at=None)
    found = found.select_related("owner", "elected__author", "chase")
    return found.defer("elected__code", "elected__generated")


def _edges(functions: Mapping[int, Function]) -> tuple[dict[int, list[str]], dict[str, list[str]]]:
    """Return the names of pieces that use each piece, by id, and each missing name."""
    is_current = Q(implementation=F("implementation__function__elected"))
    is_candidate = Q(implementation__function__elected=None)
    is_candidate &= Q(implementation__state=Work.State.PUBLISHED)
    rows = Dependency.objects.filter(
        is_current | is_candidate, implementation__function__in=functions
    )
    named = rows.order_by("id").values_list(
        "implementation__function", "target", "target__deleted_at", "name", "is_optional"
    )
    used_by: dict[int, list[str]] = {}
    missing: dict[str, list[str]] = {}
    spellings: dict[str, str] = {}
    for user, target, deleted_at, name, is_optional in named[:MAX_EDGES]:
        if target in functions:
            used_by.setdefault(target, []).append(functions[user].name)
        elif (target is None or deleted_at) and not is_optional:
            spelling = spellings.setdefault(name_key(name), name)
            missing.setdefault(spelling, []).append(functions[user].name)
    return used_by, missing


def _counting_tests(ids: Iterable[int]) -> dict[int, _Tests]:
    rows = Test.objects.filter(function__in=ids, counts=True).order_by()
    counted = rows.values_list("function", "author__username").annotate(count=Count("pk"))
    found: dict[int, list[tuple[str, int]]] = {}
    for function, author, count in counted:
        found.setdefault(function, []).append((author, count))
    return {
        pk: _Tests(sum(count for _, count in authors), tuple(sorted(authors)))
        for pk, authors in found.items()
    }


def _weak_tests(ids: Iterable[int]) -> list[Test]:
    """Return the published tests that could count and don't: challenges, and broken ones."""
    could_count = Q(acceptable=True) | Q(acceptable=None, score__gte=0)
    is_weak = Q(standing_cause="") | Q(health=Test.Health.BROKEN)
    rows = Test.objects.filter(
        could_count, is_weak, function__in=ids, state=Work.State.PUBLISHED, counts=False
    )
    rows = rows.select_related("function").defer("code", "generated")
    return list(rows.order_by("function", "number")[:MAX_TESTS])


def _failing(ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return the number of published implementations that fail, and of the newest, by function."""
    standings = Implementation.Standing.FAILING, Implementation.Standing.NOT_LOADING
    rows = Implementation.objects.filter(
        function__in=ids, state=Work.State.PUBLISHED, standing__in=standings
    )
    counted = rows.order_by().values_list("function").annotate(n=Count("pk"), last=Max("number"))
    return {pk: (count, last) for pk, count, last in counted}


def _refused(ids: Iterable[int]) -> list[AcceptanceTest]:
    """Return the acceptance tests that current implementations fail."""
    rows = AcceptanceTest.objects.filter(
        target__in=ids, state=AcceptanceTest.State.PUBLISHED, function__deleted_at=None
    )
    failing = rows.exclude(verdict__in=("", "passed")).select_related("function", "target")
    return list(failing.defer("code").order_by("pk")[:MAX_TESTS])


def _collections(page: Function, actor: Actor) -> tuple[StoredItems, ...]:
    """Return the collections that the page declares, and those whose owners have listed it."""
    current = Implementation.objects.filter(pk=page.elected_id or 0)
    code = current.values_list("code", flat=True)
    reads: dict[str, list[CollectionRead]] = {}
    for read in (read for text in code for read in find_reads(text)):
        reads.setdefault(name_key(read.collection), []).append(read)
    listed = Lower(Func(F("pages"), Value(" "), function="array_to_string", output_field=_TEXT))
    rows = Collection.objects.select_related("owner").annotate(listed=listed).order_by("name_key")
    rows = rows.filter(Q(name_key__in=reads) | Q(listed__contains=page.name_key))
    seen = {row.name_key: row for row in rows if _is_shown(actor, row, page, reads)}
    return tuple(
        StoredItems(
            name=seen[key].name if key in seen else reads[key][0].collection,
            collection=seen.get(key),
            queries=tuple(read.query for read in reads.get(key, ())),
            changes=key in seen and seen[key].lists(page.name),
        )
        for key in (*reads, *(key for key in seen if key not in reads))
    )


def _is_shown(actor: Actor, collection: Collection, page: Function, reads: Container[str]) -> bool:
    """Return whether the reader may know of it; what only its owner reads isn't there for others.

    A name that the page declares can be read in its code.
    """
    if collection.name_key in reads:
        return collection.may_read != Role.OWNER or may_manage(actor, collection)
    return collection.lists(page.name) and may_see(actor, collection)


def _needs_of_collection(page: Function, stored: StoredItems) -> Iterator[Need]:
    if stored.collection is None:
        yield Need(Task.FIND_COLLECTION, page.name, stored.name)
    elif not (stored.changes or stored.collection.is_public):
        yield Need(Task.LIST_PAGE, page.name, stored.name)


def _piece(
    function: Function,
    tests: Mapping[int, _Tests],
    used_by: Mapping[int, list[str]],
    needs: Iterable[Need],
) -> Piece:
    counted = tests.get(function.pk, _Tests(0, ()))
    return Piece(
        link=link_to(function),
        kind=function.kind,
        description=function.description,
        author=function.elected.author.get_username() if function.elected else "",
        tests=counted.total,
        test_authors=tuple(author for author, _ in counted.authors),
        used_by=_without(function.name, used_by.get(function.pk, ())),
        needs=tuple(need for need in needs if need.function == function.name),
    )


def _missing_piece(name: str, users: Iterable[str], needs: Iterable[Need]) -> Piece:
    return Piece(
        link=FunctionLink(name=name, status=MISSING),
        kind="",
        description="",
        author="",
        tests=0,
        test_authors=(),
        used_by=_without(name, users),
        needs=tuple(need for need in needs if need.function == name),
    )


def _without(name: str, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(other for other in names if other != name))


def _people(functions: Iterable[Function], tests: Mapping[int, _Tests]) -> tuple[Contributor, ...]:
    written: dict[str, list[str]] = {}
    tested: dict[str, list[str]] = {}
    counts: Counter[str] = Counter()
    for function in functions:
        if function.elected:
            written.setdefault(function.elected.author.get_username(), []).append(function.name)
        for author, count in tests[function.pk].authors if function.pk in tests else ():
            tested.setdefault(author, []).append(function.name)
            counts[author] += count
    people = (
        Contributor(
            name=name,
            implementations=tuple(written.get(name, ())),
            tested=tuple(tested.get(name, ())),
            tests=counts[name],
        )
        for name in written.keys() | tested.keys()
    )

    def rank(person: Contributor) -> tuple[Any, ...]:
        return -len(person.implementations), -person.tests, person.name

    return tuple(sorted(people, key=rank))
