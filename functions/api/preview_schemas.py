"""Schemas of previews."""

from datetime import datetime

from ninja import Schema
from pydantic import Field


class PreviewStarted(Schema):
    """The preview, and the run that it is made by."""

    preview: int
    batch: int


class PreviewedEffect(Schema):
    """What a change would do to one function."""

    function: str
    fate: str = Field(
        description="breaks, changes (another implementation takes over), mended, stays, unknown "
        "(left out, or given up) or waiting"
    )
    current: str = Field(description="its current implementation now; none if empty")
    after: str = Field(description="the one that would be current; none if empty")
    elected: int | None = Field(description="the id of that one")
    reason: str
    left_out: int = Field(description="programs that were too many")


class PreviewedAcceptance(Schema):
    """An acceptance test, run with what others would import."""

    id: int
    function: str = Field(description="whose owner wants it")
    title: str
    before: str = Field(description="the verdict on what is current now; none if empty")
    verdict: str = Field(description="none yet, or none ever, if empty")
    message: str


class PreviewShown(Schema):
    """A change that nobody has made, and what it would do."""

    id: int
    batch: int
    state: str = Field(description="of its run: open, complete or cancelled")
    change: str = Field(description="publish, withdraw, accept, reject, clear or delete")
    function: str
    implementation: int | None
    test: int | None
    created_at: datetime
    total: int
    finished: int
    left_out: int
    ahead: int = Field(description="dependents that are not looked at yet")
    own: PreviewedEffect | None = Field(description="the function itself; null if it would go")
    complaint: str = Field(description="why a draft would not be eligible")
    circle: list[str] = Field(
        description="those that it would be elected together with, and its function; empty: none"
    )
    acceptance: list[PreviewedAcceptance]
    effects: list[PreviewedEffect] = Field(description="its dependents, by name")
    topic: str = Field(description="its stream of events")
    epoch: int
    seq: int = Field(description="the last event of the stream that this answer contains")
