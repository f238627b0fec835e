"""Schemas of histories and comparisons."""

from collections.abc import Mapping
from datetime import datetime
from operator import attrgetter, not_
from typing import Annotated

from pydantic import BeforeValidator, Field

from functions.api.results import ResultShown
from functions.api.schemas import Answer, Ids, LinkShown, OrNull, convert, path

ResultKey = Annotated[str | None, convert(attrgetter("result_key"))]  # of a cell
SourceHash = Annotated[str | None, convert(attrgetter("sha256"))]  # of a module


def _those_that_are(same: Mapping[str, bool]) -> list[str]:
    return [what for what, is_same in same.items() if is_same]


class WorkNamed(Answer):
    """A work, by what people call it."""

    id: int
    label: str
    author: str


class ElectionShown(Answer):
    """A change of the current implementation."""

    id: int
    elected: WorkNamed | None
    previous: WorkNamed | None
    circle: list[str] = Field(
        description="the functions elected together, itself among them; empty: it alone"
    )
    cause: str = Field(description="what happened to this function")
    origin: OrNull = Field(description="the function where it began, if that is another")
    origin_cause: str = Field(description="what happened there")
    by: OrNull = Field(description="who did it; null where that is in the cause, or unknown")
    batch: int | None = Field(
        validation_alias="run", description="where it was decided, or where its cascade began"
    )
    at: datetime


class ElectionListShown(Answer):
    """A page of elections; `next` is the cursor of the page that follows."""

    items: list[ElectionShown] = Field(validation_alias="rows")
    next: OrNull


class TrialShown(Answer):
    """What came of a candidate against a test that counts."""

    test: int = path("test", "id")
    label: str = path("test", "label")
    verdict: OrNull
    message: str
    key: str | None = Field(description="of the record")


class CandidateShown(Answer):
    """An implementation with everything that decided about it."""

    id: int
    label: str
    title: str
    author: str
    published_at: datetime
    current: bool = Field(validation_alias="is_current")
    standing: str
    why_not: str = Field(description="why it is not current; empty if it is")
    owner_reason: str = Field(description="why the owner marked it unacceptable")
    through: list[LinkShown] = Field(description="what it is blocked by, or circular through")
    score: int
    up: int
    down: int
    passed: list[TrialShown]
    failed: list[TrialShown]
    pending: list[TrialShown]


class TestSeen(Answer):
    """A test, and if it decides nothing, why."""

    __test__ = False  # pytest: not a test class

    id: int
    label: str
    counts: bool
    why_not: str
    challenge: Annotated[bool, BeforeValidator(not_)] = Field(validation_alias="standing_cause")
    standing_cause: OrNull = Field(
        description="why it is no challenge: owner, early, accepted, voted, passed or upgrade"
    )
    standing_since: datetime | None


class WhyShown(Answer):
    """Why the current implementation is current."""

    function: str = path("function", "name")
    current: int | None = path("function", "elected_id")
    circle: list[str] = path(
        "function",
        "circle",
        description="the functions elected together, itself among them; empty: it alone",
    )
    judging: bool = path("function", "judging")
    rule: str = path(
        "ruling",
        "rule",
        description="only_eligible, highest_score, newest_of_equals, kept_for_importers, waiting, "
        "stands_blocked, stands_unjudged, stands, unsettled, none_eligible, none_judged or "
        "no_candidate",
    )
    reason: str = path("ruling", "sentence", description="the rule in this case")
    candidates: list[CandidateShown] = Field(description="in the order of election")
    withdrawn: Ids
    tests: list[TestSeen]
    elections: list[ElectionShown] = path("elections", "rows", description="the newest first")


class LineShown(Answer):
    """A line of the old text, of the new one, or of both; places count from 1."""

    op: str = Field(description="same, del or add")
    old: int | None
    new: int | None
    text: str


class DifferenceShown(Answer):
    """All lines of both texts, the deleted before the added."""

    added: int
    deleted: int
    lines: list[LineShown]


class RevisionShown(Answer):
    """What a function's definition said after a change."""

    id: int
    number: int
    editor: str
    name: str
    signature: str
    description: str
    restored: int | None = Field(description="the number of the earlier one that it restores")
    latest: bool = Field(validation_alias="is_latest")
    at: datetime


class RevisionListShown(Answer):
    """A page of revisions; `next` is the cursor of the page that follows."""

    items: list[RevisionShown] = Field(validation_alias="rows")
    next: OrNull


class RevisionCompared(Answer):
    """A revision, and how it differs from the left one: from nothing if that is null."""

    left: RevisionShown | None
    right: RevisionShown
    signature: DifferenceShown
    description: DifferenceShown


class MatchShown(Answer):
    """What came of both against the same test, or of both tests against an implementation."""

    id: int = path("opponent", "id")
    label: str = path("opponent", "label")
    left: OrNull = path("verdicts", 0)
    right: OrNull = path("verdicts", 1)
    left_key: ResultKey = Field(validation_alias="left")
    right_key: ResultKey = Field(validation_alias="right")


class WorksCompared(Answer):
    """How the work at the right differs from the left one; whence it comes, and its copies."""

    function: str = path("function", "name")
    left: WorkNamed
    right: WorkNamed
    code: DifferenceShown = Field(validation_alias="difference")
    results: list[MatchShown] = Field(validation_alias="matches")
    ancestors: list[WorkNamed] = Field(description="the first comes first")
    copies: list[WorkNamed]


class ModuleCompared(Answer):
    """A module of both programs, or of one; `code` is null where it is the same in both."""

    name: str
    left: SourceHash = Field(description="its SHA-256")
    right: SourceHash
    code: DifferenceShown | None = Field(validation_alias="difference")


class RecordsCompared(Answer):
    """Two records; the logs are compared by their texts."""

    left: ResultShown
    right: ResultShown
    same: Annotated[list[str], BeforeValidator(_those_that_are)] = Field(
        description="of verdict, message, log, modules and runtime"
    )
    log: DifferenceShown
    modules: list[ModuleCompared]
