"""Schemas of histories and comparisons."""

from collections.abc import Mapping
from datetime import datetime
from operator import attrgetter, not_
from typing import Annotated

from pydantic import BeforeValidator, Field

from functions.api.results import ResultShown
from functions.api.schemas import AGENT_SCORE, Answer, Ids, LinkShown, OrNull, convert, path

ResultKey = Annotated[str | None, convert(attrgetter("result_key"))]  # of a cell
SourceHash = Annotated[str | None, convert(attrgetter("sha256"))]  # of a module


def _those_that_are(same: Mapping[str, bool]) -> list[str]:
    return [what for what, is_same in same.items() if is_same]


class WorkNamed(Answer):
    """A work's id and label."""

    id: int
    label: str
    author: str


class ElectionShown(Answer):
    """A change of the current implementation."""

    id: int
    elected: WorkNamed | None
    previous: WorkNamed | None
    circle: list[str] = Field(
        description="the functions elected together, including itself; empty if only itself"
    )
    cause: str = Field(description="the event at this function")
    origin: OrNull = Field(description="the function where the cascade began, if another")
    origin_cause: str = Field(description="the event at that function")
    by: OrNull = Field(description="the user who caused it; null if unknown or named in the cause")
    batch: int | None = Field(
        validation_alias="run", description="the run that decided it or began its cascade"
    )
    at: datetime


class ElectionListShown(Answer):
    """A page of elections; `next` is the cursor of the next page."""

    items: list[ElectionShown] = Field(validation_alias="rows")
    next: OrNull


class TrialShown(Answer):
    """A candidate's result against a test that counts."""

    test: int = path("test", "id")
    label: str = path("test", "label")
    verdict: OrNull
    message: str
    key: str | None = Field(description="the key of the record")


class CandidateShown(Answer):
    """An implementation with all that decided its standing."""

    id: int
    label: str
    title: str
    author: str
    published_at: datetime
    current: bool = Field(validation_alias="is_current")
    standing: str
    why_not: str = Field(description="why it is not current; empty if it is")
    owner_reason: str = Field(description="why the owner marked it unacceptable")
    through: list[LinkShown] = Field(description="the functions that block it or make it circular")
    score: int
    up: int
    down: int
    agent_score: int = AGENT_SCORE
    passed: list[TrialShown]
    failed: list[TrialShown]
    pending: list[TrialShown]


class TestSeen(Answer):
    """A test, and why it decides nothing, if so."""

    __test__ = False  # pytest: not a test class

    id: int
    label: str
    counts: bool
    why_not: str
    challenge: Annotated[bool, BeforeValidator(not_)] = Field(validation_alias="standing_cause")
    standing_cause: OrNull = Field(
        description="why it is not a challenge: owner, early, accepted, voted, passed or upgrade"
    )
    standing_since: datetime | None


class WhyShown(Answer):
    """The explanation of the last election's outcome."""

    function: str = path("function", "name")
    current: int | None = path("function", "elected_id")
    circle: list[str] = path(
        "function",
        "circle",
        description="the functions elected together, including itself; empty if only itself",
    )
    judging: bool = path("function", "judging")
    rule: str = path(
        "ruling",
        "rule",
        description="only_eligible, highest_score, newest_of_equals, kept_for_importers, waiting, "
        "stands_blocked, stands_unjudged, stands, unsettled, none_eligible, none_judged or "
        "no_candidate",
    )
    reason: str = path("ruling", "sentence", description="the rule, applied to this case")
    candidates: list[CandidateShown] = Field(description="in the order of election")
    withdrawn: Ids
    tests: list[TestSeen]
    elections: list[ElectionShown] = path("elections", "rows", description="newest first")


class LineShown(Answer):
    """A line of the old text, the new text, or both; line numbers start at 1."""

    op: str = Field(description="same, del or add")
    old: int | None
    new: int | None
    text: str


class DifferenceShown(Answer):
    """All lines of both texts, deleted lines before added ones."""

    added: int
    deleted: int
    lines: list[LineShown]


class RevisionShown(Answer):
    """A function's definition after a change."""

    id: int
    number: int
    editor: str
    name: str
    signature: str
    description: str
    restored: int | None = Field(description="the number of the revision that it restores")
    latest: bool = Field(validation_alias="is_latest")
    at: datetime


class RevisionListShown(Answer):
    """A page of revisions; `next` is the cursor of the next page."""

    items: list[RevisionShown] = Field(validation_alias="rows")
    next: OrNull


class RevisionCompared(Answer):
    """A revision and its difference from the left one, which is null for the first."""

    left: RevisionShown | None
    right: RevisionShown
    signature: DifferenceShown
    description: DifferenceShown


class MatchShown(Answer):
    """The results of both works against the same opponent, a test or an implementation."""

    id: int = path("opponent", "id")
    label: str = path("opponent", "label")
    left: OrNull = path("verdicts", 0)
    right: OrNull = path("verdicts", 1)
    left_key: ResultKey = Field(validation_alias="left")
    right_key: ResultKey = Field(validation_alias="right")


class WorksCompared(Answer):
    """The difference between two works, and the lineage of the right one."""

    function: str = path("function", "name")
    left: WorkNamed
    right: WorkNamed
    code: DifferenceShown = Field(validation_alias="difference")
    results: list[MatchShown] = Field(validation_alias="matches")
    ancestors: list[WorkNamed] = Field(description="oldest first")
    copies: list[WorkNamed]


class ModuleCompared(Answer):
    """A module of either program; `code` is null if it is the same in both."""

    name: str
    left: SourceHash = Field(description="its SHA-256")
    right: SourceHash
    code: DifferenceShown | None = Field(validation_alias="difference")


class RecordsCompared(Answer):
    """Two records; logs are compared by text only."""

    left: ResultShown
    right: ResultShown
    same: Annotated[list[str], BeforeValidator(_those_that_are)] = Field(
        description="those of verdict, message, log, modules and runtime that are equal"
    )
    log: DifferenceShown
    modules: list[ModuleCompared]
