"""Schemas of previews."""

from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, Field

from functions.api.schemas import Answer, Flat, path


class PreviewStarted(Answer):
    """The preview and its run."""

    preview: int = Field(validation_alias="pk")
    batch: Annotated[int, BeforeValidator(lambda pk: pk or 0)] = Field(validation_alias="batch_id")


class PreviewedEffect(Answer):
    """The effect of a change on one function."""

    function: str
    fate: str = Field(
        validation_alias="outcome",
        description="breaks, changes (another implementation takes over), mended, stays, unknown "
        "(too many programs, or given up) or waiting",
    )
    current: str = Field(description="its current implementation; empty if none")
    after: str = Field(description="the one that would be current; empty if none")
    elected: int | None = Field(validation_alias="after_id", description="the id of the latter")
    reason: str
    left_out: int = Field(description="number of programs beyond the limit, which are not run")


class PreviewedAcceptance(Answer):
    """An acceptance test, run against the implementation that would be current."""

    id: int
    function: str = Field(description="the function whose owner wrote it")
    title: str
    before: str = Field(description="the verdict on the current implementation; empty if none")
    verdict: str = Field(description="empty while there is none")
    message: str


class PreviewShown(Flat):
    """A change that was not made, and its effects."""

    parts = ("preview", "run.progress", "run.position")

    id: int = path("preview", "id")
    batch: int = path("run", "progress", "id")
    state: str = path(
        "run", "progress", "state", description="the run's state: open, complete or cancelled"
    )
    change: str = Field(description="publish, withdraw, accept, reject, clear or delete")
    function: str = path("function", "name")
    implementation: int | None = Field(validation_alias="implementation_id")
    test: int | None = Field(validation_alias="test_id")
    created_at: datetime
    total: int
    finished: int
    left_out: int
    ahead: int = Field(description="number of dependents still to be tried")
    own: PreviewedEffect | None = Field(description="the effect on itself; null for a deletion")
    complaint: str = Field(description="why a draft would not be eligible")
    circle: list[str] = Field(
        description="the functions elected together after the change, including its own; else empty"
    )
    acceptance: list[PreviewedAcceptance]
    effects: list[PreviewedEffect] = Field(description="the effects on dependents, by name")
    projects: int = Field(
        description="number of registered projects that have locked what the change reaches"
    )
    told: bool = Field(validation_alias="is_told", description="they were told what differs")
    topic: str = path("run", "topic", description="its stream of events")
    epoch: int
    seq: int = Field(description="the last event of the stream that this answer includes")
