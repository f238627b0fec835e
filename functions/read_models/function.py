"""The read model of a function, for its page and the API."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce, Concat
from django.utils.translation import gettext as _

from functions.models import AcceptanceTest, Election, Function, Watch, Work
from functions.names import is_identifier, name_key
from functions.permissions import may_contribute, may_moderate
from functions.read_models.cells import Matrix, load_matrix, repeated_programs
from functions.read_models.comments import Counts, comment_counts
from functions.read_models.function_works import Shown, load_works
from functions.read_models.links import (
    FunctionLink,
    functions_missing,
    functions_naming,
    link_to,
)
from functions.read_models.not_found import or_404
from functions.read_models.notifications import Watching
from functions.read_models.prepared_queries import Parameter, PreparedQuery
from functions.read_models.runs import LogLine, Progress, last_progress, log_of
from functions.read_models.snapshot import snapshot
from functions.read_models.unsettled import Unsettled, unsettled
from functions.read_models.works import AnyImplementation, ImplementationCard, TestCard
from runner.batches.queries import head_columns
from runner.registry import Actor

ALL = Shown()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The last change of the current implementation."""

    cause: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionPage:
    """A function's page for one reader; `seq` is the last event that it includes."""

    function: Function
    owner: str
    offered_to: str  # recipient of an open offer, or empty
    topic: str
    epoch: int
    seq: int
    implementations: tuple[ImplementationCard, ...]  # those `shown`, in page order
    published: tuple[AnyImplementation, ...]  # all, and withdrawn ones, in page order
    tests: tuple[TestCard, ...]  # published and withdrawn, in page order
    drafts: tuple[ImplementationCard | TestCard, ...]  # the reader's own, last changed first
    cells: Matrix
    depends_on: tuple[FunctionLink, ...]
    depended_on_by: tuple[FunctionLink, ...]  # at most `most_dependents`
    dependents: int  # number of all
    run: Progress | None  # the last public one
    log: tuple[LogLine, ...]  # of that run
    last_change: Change | None
    unsettled: Unsettled | None
    comments: Counts
    watching: Watching
    has_acceptance: bool  # whether there are acceptance tests by it or of it
    may_edit: bool
    may_delete: bool
    may_judge: bool
    may_contribute: bool

    @property
    def current(self) -> ImplementationCard | None:
        """The current implementation."""
        return next((card for card in self.implementations if card.is_current), None)

    @property
    def comment_count(self) -> int:
        """Number of comments on the function and its works."""
        return sum(self.comments.values())

    @property
    def may_run_again(self) -> bool:
        """Whether the reader may repeat any of its programs."""
        is_concerned = self.may_judge or any(
            card.is_own for card in (*self.candidates, *self.standing_tests)
        )
        return is_concerned and bool(self.candidates)

    @property
    def candidates(self) -> tuple[AnyImplementation, ...]:
        """The implementations that are not withdrawn: rows of the results matrix."""
        return tuple(work for work in self.published if not work.is_withdrawn)

    @property
    def standing_tests(self) -> tuple[TestCard, ...]:
        """The tests that are not withdrawn: columns of the results matrix."""
        return tuple(card for card in self.tests if not card.is_withdrawn)

    @property
    def challenges(self) -> tuple[TestCard, ...]:
        """The tests that may still gain standing."""
        return tuple(card for card in self.tests if card.may_gain_standing)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPage:
    """The page of an undefined name, with the functions that use it."""

    name: str
    depended_on_by: tuple[FunctionLink, ...]


def function_named(name: str) -> Function | None:
    """Return the function of this name, case-insensitively, or None."""
    if not is_identifier(name):
        return None
    found = Function.objects.filter(name_key=name_key(name), deleted_at=None)
    return found.select_related("owner").first()


def function_or_404(name: str) -> Function:
    """Return the function of this name, case-insensitively. Raises Http404."""
    return or_404(function_named(name), _("There is no function of this name."))


def missing_page(name: str) -> MissingPage:
    """Return the page of an undefined name."""
    with snapshot():
        waiting = tuple(link_to(function) for function in functions_missing(name))
    return MissingPage(name=name, depended_on_by=waiting)


def function_page(
    function: Function, actor: Actor, *, most_dependents: int | None = None
) -> FunctionPage:
    """Return the function's page for this reader, from one snapshot.

    At most `most_dependents` dependents are listed. Raises Function.DoesNotExist if the function
    was deleted meanwhile.
    """
    with snapshot():
        found = _BY_ID.rows(function=function.pk, reader=actor.pk)
        if not found:
            raise Function.DoesNotExist
        return _page(found[0], actor, most_dependents)


def page_of_name(
    name: str, actor: Actor, *, most_dependents: int | None = None, shown: Shown = ALL
) -> FunctionPage | None:
    """Return the page of the function of this name, case-insensitively, or None."""
    if not is_identifier(name):
        return None
    with snapshot():
        found = _BY_NAME.rows(name_key=name_key(name), reader=actor.pk)
        return _page(found[0], actor, most_dependents, shown) if found else None


def _as_shown() -> QuerySet[Function]:
    """Return functions with all data that one query can read.

    That includes the topic's position, which must be read before the state: without a snapshot, an
    event that is replayed twice is harmless, a missed one isn't.
    """
    epoch, seq = head_columns(Concat(Value("function:"), Cast(OuterRef("pk"), TextField())))
    last = Election.objects.filter(function=OuterRef("pk")).order_by("-id")
    watches = Watch.objects.filter(function=OuterRef("pk"), watching=True)
    on_either_side = Q(function=OuterRef("pk")) | Q(target=OuterRef("pk"))
    acceptance = AcceptanceTest.objects.filter(on_either_side)
    watchers = watches.values("function").annotate(count=Count("pk")).values("count")
    return (
        Function.objects.filter(deleted_at=None)
        .select_related("owner", "offered_to", "chase", "cloned_from")
        .annotate(
            epoch=epoch,
            seq=seq,
            last_cause=Subquery(last.values("cause")[:1]),
            last_change_at=Subquery(last.values("created_at")[:1]),
            named_by=Coalesce("usage__dependents", 0),
            watchers=Coalesce(Subquery(watchers), 0),
            is_watched=Exists(watches.filter(user=Parameter("reader"))),
            has_acceptance=Exists(acceptance),
        )
    )


_BY_ID = PreparedQuery(lambda: _as_shown().filter(pk=Parameter("function")))
_BY_NAME = PreparedQuery(lambda: _as_shown().filter(name_key=Parameter("name_key")))


def _page(
    function: Any, actor: Actor, most_dependents: int | None, shown: Shown = ALL
) -> FunctionPage:
    works = load_works(function, actor, shown)
    published_tests = tuple(card for card in works.tests if card.state != Work.State.DRAFT)
    run = last_progress(function.topic)
    may_change = may_moderate(actor, function)
    return FunctionPage(
        function=function,
        owner=function.owner.get_username(),
        offered_to=function.offered_to.get_username() if function.offered_to else "",
        topic=function.topic,
        epoch=function.epoch,
        seq=function.seq,
        implementations=tuple(
            card for card in works.implementations if card.state != Work.State.DRAFT
        ),
        published=works.published,
        tests=published_tests,
        drafts=_drafts(works.implementations, works.tests),
        cells=load_matrix(
            (work.id for work in works.published),
            (card.id for card in published_tests),
            repeated_programs(function.topic) if run and run.is_open else {},
        ),
        depends_on=works.depends_on,
        depended_on_by=_dependents(function, most_dependents),
        dependents=function.named_by,
        run=run,
        log=tuple(log_of(run.id)) if run else (),
        last_change=(
            # The latest cause of several, which probably decided it; "Why?" has all.
            Change(
                cause=function.last_cause.split(Election.CAUSE_SEPARATOR)[-1],
                at=function.last_change_at,
            )
            if function.last_change_at
            else None
        ),
        unsettled=unsettled(function),
        comments=comment_counts(function),
        watching=Watching(function.watchers, function.is_watched),
        has_acceptance=function.has_acceptance,
        may_edit=may_change,
        may_delete=may_change,
        may_judge=may_change,
        may_contribute=may_contribute(actor, function),
    )


def _dependents(function: Function, most: int | None) -> tuple[FunctionLink, ...]:
    links = map(link_to, functions_naming(function, most=most))
    return tuple(sorted(links, key=lambda link: link.key)[:most])


def _drafts(
    implementations: list[ImplementationCard], tests: list[TestCard]
) -> tuple[ImplementationCard | TestCard, ...]:
    cards: list[ImplementationCard | TestCard] = [*implementations, *tests]
    drafts = [card for card in cards if card.state == Work.State.DRAFT]
    return tuple(sorted(drafts, key=lambda card: card.changed_at, reverse=True))
