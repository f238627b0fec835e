"""The list of work that helps others most, with everything needed to begin."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import Coalesce, RowNumber

from functions.models import Cell, Dependency, Function, Implementation, Test, Work
from functions.names import name_key
from functions.read_models.application_needs import FEW_TESTS, Need, Task
from functions.read_models.snapshot import snapshot
from functions.read_models.undefined_names import published, wanted_names
from functions.source.call_guesses import guess_signature

MAX_ITEMS = 50
# Candidates are looked for among this many of each kind, those that most others use first.
LOOKED_AT = 200
SLOW_CPU_US = 20_000
TESTS_SHOWN = 20  # of a function
IMPLEMENTATIONS_SHOWN = 3  # of a function
USERS_SHOWN = 3  # of a missing name


@dataclass(frozen=True, slots=True)
class Failure:
    """What an implementation failed: a test that counts, or loading (test null)."""

    test: int | None
    verdict: str
    message: str
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedWork:
    """A published work, whole."""

    id: int
    function: str
    label: str  # `#7`, `T9`
    author: str
    title: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTest(PublishedWork):
    """A test, and whether it decides."""

    counts: bool
    challenge: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedImplementation(PublishedWork):
    """An implementation with its standing, and what it fails."""

    language: str
    standing: str
    reason: str
    passed: int
    counting: int
    cpu_us: int | None
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Work to do, with what is needed to begin."""

    need: Need
    helps: int  # number of functions: those that use it, and itself while it doesn't work
    of: Function | None  # null: nobody has defined it
    guessed: str = ""  # signature of an undefined name, by its uses
    tests: tuple[PublishedTest, ...] = ()  # those that count first
    implementations: tuple[PublishedImplementation, ...] = ()  # the best first
    uses: tuple[PublishedWork, ...] = ()  # of an undefined name

    @property
    def function(self) -> str:
        return self.need.function

    @property
    def is_defined(self) -> bool:
        return self.of is not None

    @property
    def signature(self) -> str:
        return self.of.signature if self.of else self.guessed

    @property
    def description(self) -> str:
        return self.of.description if self.of else ""

    @property
    def kind(self) -> str:
        return self.of.kind if self.of else "function"

    @property
    def status(self) -> str:
        return self.of.status if self.of else "missing"

    @property
    def operation(self) -> str:
        """The operation of the API that begins it."""
        path = f"/api/v1/functions/{self.function}/"
        if self.need.task == Task.DEFINE:
            return "POST /api/v1/functions/"
        if self.need.task in (Task.TEST, Task.TEST_MORE):
            return f"POST {path}tests/"
        return f"POST {path}implementations/"


def help_wanted(*, task: Task | None = None, limit: int = 10) -> list[Wanted]:
    """Return the work that helps most functions, at most MAX_ITEMS items.

    Equal ones are in the order of `Task`, then by name. The number of queries is constant.
    """
    with snapshot():
        found = [one for one in _candidates(limit) if task in (None, one.need.task)]
        found.sort(key=lambda one: (-one.helps, one.need.task.rank, name_key(one.function)))
        return _with_details(found[: min(limit, MAX_ITEMS)])


def _candidates(limit: int) -> Iterator[Wanted]:
    for wanted in wanted_names(limit=limit).rows:
        yield _wanted(Task.DEFINE, None, wanted.waiting, name=wanted.name)
    standing = Function.objects.filter(deleted_at=None, archived_at=None, judging=False)
    waiting = standing.exclude(status=Function.Status.IMPLEMENTED)
    for function in _most_used(waiting):
        is_blocked = function.status == Function.Status.BLOCKED
        task = Task.UNBLOCK if is_blocked else Task.IMPLEMENT
        yield _wanted(task, function, function.users + 1, function.blocked_by)
    yield from _of_implemented(standing.filter(status=Function.Status.IMPLEMENTED))
    yield from _challenged()


def _of_implemented(functions: QuerySet[Function]) -> Iterator[Wanted]:
    """Return those that need tests, and those that are slow."""
    for function in _most_used(functions.filter(untested=True)):
        yield _wanted(Task.TEST, function, function.users)
    tested = list(_most_used(functions.filter(untested=False)))
    counts = Test.objects.filter(function__in=tested, counts=True).order_by()
    tests = dict(counts.values_list("function").annotate(Count("pk")))
    for function in tested:
        count = tests.get(function.pk, 0)
        if 0 < count < FEW_TESTS:
            yield _wanted(Task.TEST_MORE, function, function.users, count=count)
        if function.elected and (function.elected.cpu_us or 0) >= SLOW_CPU_US:
            yield _wanted(Task.SPEED_UP, function, function.users)


def _challenged() -> Iterator[Wanted]:
    """Return those of the newest challenges that current implementations fail."""
    tests = Test.objects.filter(
        Q(acceptable=True) | Q(acceptable=None, score__gte=0),
        state=Work.State.PUBLISHED,
        standing_cause="",
        health=Test.Health.WORKING,
        function__deleted_at=None,
        function__archived_at=None,
        function__elected__isnull=False,
    )
    tests = tests.select_related("function").defer("code", "generated")
    tests = tests.annotate(users=Coalesce("function__usage__dependents", 0))
    newest = list(tests.order_by("-published_at")[:LOOKED_AT])
    # By their ids, as a join of the three would be planned badly with outdated statistics.
    cells = Cell.objects.filter(
        test__in=[test.pk for test in newest],
        implementation__in=[test.function.elected_id for test in newest],
        key=F("result_key"),
    )
    failed = {*cells.exclude(verdict__in=("", "passed")).values_list("test", "implementation")}
    for test in newest:
        if (test.pk, test.function.elected_id) in failed:
            yield _wanted(Task.MEET_CHALLENGE, test.function, test.users, str(test))


def _most_used(functions: QuerySet[Function]) -> QuerySet[Any]:
    users = Coalesce("usage__dependents", 0)
    found = functions.select_related("elected").annotate(users=users)
    found = found.defer("elected__code", "elected__generated")
    return found.order_by(F("usage__dependents").desc(nulls_last=True), "name_key")[:LOOKED_AT]


def _wanted(
    task: Task,
    function: Function | None,
    helps: int,
    subject: str = "",
    *,
    name: str = "",
    count: int = 1,
) -> Wanted:
    need = Need(task, function.name if function else name, subject, count)
    return Wanted(need=need, helps=helps, of=function)


def _with_details(found: Sequence[Wanted]) -> list[Wanted]:
    functions = [one.of.pk for one in found if one.of]
    tests = _by_function(_first(Test, functions, TESTS_SHOWN, "-counts", "-score", "pk"))
    best = _first(Implementation, functions, IMPLEMENTATIONS_SHOWN, "-passed", "-score", "-pk")
    implementations = _by_function(best)
    failures = _failures([one.pk for ones in implementations.values() for one in ones])
    users = _users([name_key(one.function) for one in found if one.of is None])
    return [
        replace(
            one,
            tests=tuple(_test(work) for work in tests.get(one.of.pk, ())),
            implementations=tuple(
                _implementation(work, failures.get(work.pk, ()))
                for work in implementations.get(one.of.pk, ())
            ),
        )
        if one.of
        else _used(one, users.get(name_key(one.function), []))
        for one in found
    ]


def _first(model: type[Any], functions: Sequence[int], limit: int, *order: str) -> QuerySet[Any]:
    """Return the first published works of each function, in this order."""
    works = model.objects.filter(function__in=functions, state=Work.State.PUBLISHED)
    works = works.select_related("author", "function").defer("generated")
    place = Window(RowNumber(), partition_by="function", order_by=order)
    found: QuerySet[Any] = works.annotate(place=place).filter(place__lte=limit)
    return found.order_by("function", "place")


def _by_function(works: Iterable[Any]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for work in works:
        found.setdefault(work.function_id, []).append(work)
    return found


def _failures(implementations: Sequence[int]) -> dict[int, list[Failure]]:
    """Return what these implementations fail, by their ids."""
    cells = Cell.objects.filter(Q(test=None) | Q(test__counts=True), key=F("result_key"))
    cells = cells.filter(implementation__in=implementations)
    cells = cells.exclude(verdict__in=("", "passed")).order_by("test")
    found: dict[int, list[Failure]] = {}
    for cell in cells:
        failure = Failure(cell.test_id, cell.verdict, cell.message, cell.line)
        found.setdefault(cell.implementation_id, []).append(failure)
    return found


def _users(names: Sequence[str]) -> dict[str, list[Implementation | Test]]:
    """Return the first published works that use each undefined name, by the name's key."""
    named = Dependency.objects.filter(
        published("implementation") | published("test"), target=None, name_key__in=names
    )
    place = Window(RowNumber(), partition_by="name_key", order_by="pk")
    named = named.annotate(place=place).filter(place__lte=USERS_SHOWN).order_by("place")
    named = named.select_related("implementation__function", "implementation__author")
    found: dict[str, list[Implementation | Test]] = {}
    for dependency in named.select_related("test__function", "test__author"):
        work = dependency.implementation or dependency.test
        if work is not None:
            found.setdefault(dependency.name_key, []).append(work)
    return found


def _used(one: Wanted, users: Sequence[Implementation | Test]) -> Wanted:
    guessed = guess_signature(one.function, [work.code for work in users])
    uses = tuple(PublishedWork(**_shared(work)) for work in users)
    return replace(one, guessed=guessed, uses=uses)


def _test(work: Test) -> PublishedTest:
    return PublishedTest(**_shared(work), counts=work.counts, challenge=work.is_challenge)


def _implementation(work: Implementation, failures: Iterable[Failure]) -> PublishedImplementation:
    return PublishedImplementation(
        **_shared(work),
        language=work.language or "python",
        standing=work.standing,
        reason=work.standing_reason,
        passed=work.passed,
        counting=work.counting,
        cpu_us=work.cpu_us,
        failures=tuple(failures),
    )


def _shared(work: Implementation | Test) -> dict[str, Any]:
    return {
        "id": work.pk,
        "function": work.function.name,
        "label": str(work),
        "author": work.author.get_username(),
        "title": work.title,
        "code": work.code,
    }
