"""Read models of implementations and tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from functions.kinds import LANGUAGES, kind_of_work
from functions.models import Function, Implementation, Test, Vote, Work
from functions.models.agent_labels import Label, label_of
from functions.permissions import is_author, may_moderate, may_vote, may_withdraw
from functions.read_models.links import FunctionLink
from functions.read_models.prepared_queries import Parameter
from runner.registry import Actor

AnyWork = TypeVar("AnyWork", Implementation, Test)
Links = Mapping[int, Sequence[FunctionLink]]
LONGEST_STANDING_REASON = Implementation._meta.get_field("standing_reason").max_length  # noqa: SLF001 - Django's documented interface
LONGEST_HEALTH_REASON = Test._meta.get_field("reason").max_length  # noqa: SLF001 - Django's documented interface


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The work that another one was copied from."""

    id: int
    number: int | None
    label: str  # `#7`, `T9`
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkCard:
    """The common fields of implementations and tests."""

    id: int
    noun: str
    function: str
    number: int | None
    title: str
    code: str
    language: str
    author: str
    agent: Label | None  # if its author is an agent
    state: str
    version: int
    based_on: Origin | None
    copies: tuple[Origin, ...]  # published copies; empty if not loaded
    score: int
    agent_score: int  # of the votes that are counted apart
    acceptable: bool  # by the owner's judgement, else (for a test) by its score
    owner_verdict: bool | None
    owner_reason: str
    judge: str  # author of the owner's verdict: the owner at that time, or staff
    created_at: datetime
    changed_at: datetime
    published_at: datetime | None
    license: str  # an SPDX expression
    withdrawn_at: datetime | None
    depends_on: tuple[FunctionLink, ...]
    own_vote: int  # the reader's vote: 1, 0 or -1
    is_own: bool
    may_vote: bool
    may_copy: bool
    may_withdraw: bool
    may_judge: bool

    @property
    def source(self) -> str:
        """The code, with the mark of its language: what is shown highlighted."""
        kind = LANGUAGES.get(self.language)
        return (kind and kind.generate_module("code", self.code)) or self.code

    @property
    def label(self) -> str:
        """The label: `#7`, `T9`, `draft`."""
        if self.number is None:
            return _("draft")
        return f"#{self.number}" if self.noun == Implementation.noun else f"T{self.number}"

    @property
    def is_withdrawn(self) -> bool:
        return self.state == Work.State.WITHDRAWN

    @property
    def based_on_id(self) -> int | None:
        return self.based_on.id if self.based_on else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImplementationCard(WorkCard):
    """An implementation with its standing."""

    standing: str
    reason: str
    passed: int
    counting: int
    cpu_us: int | None
    is_current: bool


class ImplementationRow(NamedTuple):
    """What the results matrix and the page order need of an implementation without a card."""

    id: int
    number: int | None
    title: str
    author: str
    author_id: int
    state: str
    score: int
    passed: int
    cpu_us: int | None
    created_at: datetime
    published_at: datetime | None
    based_on_id: int | None
    elected_id: int | None  # of the function
    reader: int | None

    @property
    def label(self) -> str:
        return f"#{self.number}"

    @property
    def anchor(self) -> str:
        return f"I{self.number}"

    @property
    def is_draft(self) -> bool:
        return self.state == Work.State.DRAFT

    @property
    def is_withdrawn(self) -> bool:
        return self.state == Work.State.WITHDRAWN

    @property
    def is_current(self) -> bool:
        return self.id == self.elected_id

    @property
    def is_own(self) -> bool:
        return self.author_id == self.reader


AnyImplementation = ImplementationCard | ImplementationRow
# Of the first fields of a row.
ROW_FIELDS = (
    *("id", "number", "title", "author__username", "author_id", "state", "score", "passed"),
    *("cpu_us", "created_at", "published_at", "based_on_id"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCard(WorkCard):
    """A test with its health."""

    __test__ = False  # pytest: not a test class

    health: str
    reason: str
    counts: bool
    challenge: bool
    standing_cause: str
    standing_since: datetime | None

    @property
    def may_gain_standing(self) -> bool:
        """Whether it is a challenge that may still gain standing."""
        return self.challenge and not self.is_withdrawn and self.acceptable


def implementation_card(
    work: Implementation, function: Function, actor: Actor, links: Sequence[FunctionLink]
) -> ImplementationCard:
    """Return the card of an implementation for this reader."""
    return ImplementationCard(
        **_shared(work, function, actor, links),
        standing=work.standing,
        reason=_whole_words(work.standing_reason, LONGEST_STANDING_REASON),
        passed=work.passed,
        counting=work.counting,
        cpu_us=work.cpu_us,
        is_current=work.pk == function.elected_id,
    )


def test_card(
    work: Test, function: Function, actor: Actor, links: Sequence[FunctionLink]
) -> TestCard:
    """Return the card of a test for this reader."""
    return TestCard(
        **_shared(work, function, actor, links),
        health=work.health,
        reason=_whole_words(work.reason, LONGEST_HEALTH_REASON),
        counts=work.counts,
        challenge=work.is_challenge,
        standing_cause=work.standing_cause,
        standing_since=work.standing_since,
    )


def _whole_words(text: str, longest: int | None) -> str:
    """Cut a text that fills its column, and so was truncated, after its last whole word."""
    if longest is None or len(text) < longest:
        return text
    cut = text[: longest - 1]
    return f"{(cut.rpartition(' ')[0] or cut).rstrip(' ,;:.')} …"


def visible(works: QuerySet[AnyWork], reader: int | Parameter | None) -> QuerySet[AnyWork]:
    """Return the works visible to this reader, loaded for cards."""
    seen = ~Q(state=Work.State.DRAFT) | Q(author_id=reader)
    votes = Vote.objects.filter(**{works.model.noun: OuterRef("pk")}, voter_id=reader)
    return (
        works.filter(seen)
        .select_related("author", "judge", "based_on__author")
        .defer("based_on__code")
        .annotate(own_vote=Coalesce(Subquery(votes.values("value")[:1]), 0))
    )


def newest_first(work: Implementation | Test | ImplementationRow) -> tuple[float, int]:
    """Sort key: by publication, for drafts by creation, newest first."""
    since = work.published_at or work.created_at
    return (-since.timestamp(), -(work.id or 0))


def implementation_rank(work: Implementation | ImplementationRow) -> tuple[Any, ...]:
    """Sort key of implementations: counting tests passed, score, newest; withdrawn ones last."""
    is_withdrawn = work.state == Work.State.WITHDRAWN
    return (is_withdrawn, -work.passed, -work.score, *newest_first(work))


def test_rank(work: Test) -> tuple[Any, ...]:
    """Sort key of tests: working, circular, broken; score, newest; withdrawn ones last."""
    is_withdrawn = work.state == Work.State.WITHDRAWN
    health = (Test.Health.WORKING, Test.Health.CIRCULAR, Test.Health.BROKEN).index(
        Test.Health(work.health)
    )
    return (is_withdrawn, health, -work.score, *newest_first(work))


def _shared(
    work: Implementation | Test, function: Function, actor: Actor, links: Sequence[FunctionLink]
) -> dict[str, Any]:
    is_published = work.state == Work.State.PUBLISHED
    is_open = function.archived_at is None
    return {
        "id": work.pk,
        "noun": work.noun,
        "function": function.name,
        "number": work.number,
        "title": work.title,
        "code": work.code,
        "language": kind_of_work(work, function).language,
        "author": work.author.get_username(),
        "agent": label_of(work.author.get_username()),
        "state": work.state,
        "version": work.version,
        "based_on": origin_of(work.based_on),
        "copies": (),
        "score": work.score,
        "agent_score": work.agent_score,
        "acceptable": work.is_acceptable,
        "owner_verdict": work.acceptable,
        "owner_reason": work.acceptable_reason,
        "judge": work.judge.get_username() if work.judge else "",
        "created_at": work.created_at,
        "changed_at": work.changed_at,
        "published_at": work.published_at,
        "license": work.license,
        "withdrawn_at": work.withdrawn_at,
        "depends_on": tuple(links),
        "own_vote": getattr(work, "own_vote", 0),
        "is_own": is_author(actor, work),
        "may_vote": is_open and may_vote(actor, work),
        "may_copy": is_open and actor.is_authenticated and work.state != Work.State.DRAFT,
        "may_withdraw": may_withdraw(actor, work),
        "may_judge": is_published and may_moderate(actor, function),
    }


def origin_of(work: Implementation | Test | None) -> Origin | None:
    """Return the read model of another work, which is loaded with its author."""
    if work is None:
        return None
    author = work.author.get_username()
    return Origin(id=work.pk, number=work.number, label=str(work), author=author)


AnyCard = TypeVar("AnyCard", ImplementationCard, TestCard)


def with_copies(
    cards: Sequence[AnyCard], works: Iterable[WorkCard | ImplementationRow]
) -> list[AnyCard]:
    """Return cards with the published ones of a function's works that were copied from each."""
    copies: dict[int, list[Origin]] = {}
    for work in sorted(works, key=lambda work: work.number or 0):
        if work.based_on_id and work.number:
            copy = Origin(id=work.id, number=work.number, label=work.label, author=work.author)
            copies.setdefault(work.based_on_id, []).append(copy)
    return [
        replace(card, copies=tuple(copies[card.id])) if card.id in copies else card
        for card in cards
    ]
