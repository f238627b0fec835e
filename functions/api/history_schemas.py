"""Schemas of histories and comparisons."""

from datetime import datetime

from ninja import Schema
from pydantic import Field

from functions.api.schemas import LinkShown, ResultShown


class WorkNamed(Schema):
    """A work, by what people call it."""

    id: int
    label: str
    author: str


class ElectionShown(Schema):
    """A change of the current implementation."""

    id: int
    elected: WorkNamed | None
    previous: WorkNamed | None
    circle: list[str] = Field(
        description="the functions elected together, itself among them; empty: it alone"
    )
    cause: str = Field(description="what happened to this function")
    origin: str | None = Field(description="the function where it began, if that is another")
    origin_cause: str = Field(description="what happened there")
    by: str | None = Field(description="who did it; null where that is in the cause, or unknown")
    batch: int | None = Field(description="where it was decided, or where its cascade began")
    at: datetime


class ElectionListShown(Schema):
    """A page of elections; `next` is the cursor of the page that follows."""

    items: list[ElectionShown]
    next: str | None


class TrialShown(Schema):
    """What came of a candidate against a test that counts."""

    test: int
    label: str
    verdict: str | None
    message: str
    key: str | None = Field(description="of the record")


class CandidateShown(Schema):
    """An implementation with everything that decided about it."""

    id: int
    label: str
    title: str
    author: str
    published_at: datetime
    current: bool
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


class TestSeen(Schema):
    """A test, and if it decides nothing, why."""

    __test__ = False  # pytest: not a test class

    id: int
    label: str
    counts: bool
    why_not: str
    challenge: bool
    standing_cause: str | None = Field(
        description="why it is no challenge: owner, early, accepted, voted, passed or upgrade"
    )
    standing_since: datetime | None


class WhyShown(Schema):
    """Why the current implementation is current."""

    function: str
    current: int | None
    circle: list[str] = Field(
        description="the functions elected together, itself among them; empty: it alone"
    )
    judging: bool
    rule: str = Field(
        description="only_eligible, highest_score, newest_of_equals, kept_for_importers, waiting, "
        "stands_blocked, stands_unjudged, stands, unsettled, none_eligible, none_judged or "
        "no_candidate"
    )
    reason: str = Field(description="the rule in this case")
    candidates: list[CandidateShown] = Field(description="in the order of election")
    withdrawn: list[int]
    tests: list[TestSeen]
    elections: list[ElectionShown] = Field(description="the newest first")


class LineShown(Schema):
    """A line of the old text, of the new one, or of both; places count from 1."""

    op: str = Field(description="same, del or add")
    old: int | None
    new: int | None
    text: str


class DifferenceShown(Schema):
    """All lines of both texts, the deleted before the added."""

    added: int
    deleted: int
    lines: list[LineShown]


class RevisionShown(Schema):
    """What a function's definition said after a change."""

    id: int
    number: int
    editor: str
    name: str
    signature: str
    description: str
    restored: int | None = Field(description="the number of the earlier one that it restores")
    latest: bool
    at: datetime


class RevisionListShown(Schema):
    """A page of revisions; `next` is the cursor of the page that follows."""

    items: list[RevisionShown]
    next: str | None


class RevisionCompared(Schema):
    """A revision, and how it differs from the left one: from nothing if that is null."""

    left: RevisionShown | None
    right: RevisionShown
    signature: DifferenceShown
    description: DifferenceShown


class MatchShown(Schema):
    """What came of both against the same test, or of both tests against an implementation."""

    id: int
    label: str
    left: str | None
    right: str | None
    left_key: str | None
    right_key: str | None


class WorksCompared(Schema):
    """How the work at the right differs from the left one; whence it comes, and its copies."""

    function: str
    left: WorkNamed
    right: WorkNamed
    code: DifferenceShown
    results: list[MatchShown]
    ancestors: list[WorkNamed] = Field(description="the first comes first")
    copies: list[WorkNamed]


class ModuleCompared(Schema):
    """A module of both programs, or of one; `code` is null where it is the same in both."""

    name: str
    left: str | None = Field(description="its SHA-256")
    right: str | None
    code: DifferenceShown | None


class RecordsCompared(Schema):
    """Two records; the logs are compared by their texts."""

    left: ResultShown
    right: ResultShown
    same: list[str] = Field(description="of verdict, message, log, modules and runtime")
    log: DifferenceShown
    modules: list[ModuleCompared]
