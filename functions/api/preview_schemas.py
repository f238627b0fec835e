"""Schemas of previews."""

from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, Field

from functions.api.schemas import Answer, Flat, path


class PreviewStarted(Answer):
    """The preview, and the run that it is made by."""

    preview: int = Field(validation_alias="pk")
    batch: Annotated[int, BeforeValidator(lambda pk: pk or 0)] = Field(validation_alias="batch_id")


class PreviewedEffect(Answer):
    """What a change would do to one function."""

    function: str
    fate: str = Field(
        validation_alias="outcome",
        description="breaks, changes (another implementation takes over), mended, stays, unknown "
        "(left out, or given up) or waiting",
    )
    current: str = Field(description="its current implementation now; none if empty")
    after: str = Field(description="the one that would be current; none if empty")
    elected: int | None = Field(validation_alias="after_id", description="the id of that one")
    reason: str
    left_out: int = Field(description="programs that were too many")


class PreviewedAcceptance(Answer):
    """An acceptance test, run with what others would import."""

    id: int
    function: str = Field(description="whose owner wants it")
    title: str
    before: str = Field(description="the verdict on what is current now; none if empty")
    verdict: str = Field(description="none yet, or none ever, if empty")
    message: str


class PreviewShown(Flat):
    """A change that nobody has made, and what it would do."""

    parts = ("preview", "run.progress", "run.position")

    id: int = path("preview", "id")
    batch: int = path("run", "progress", "id")
    state: str = path(
        "run", "progress", "state", description="of its run: open, complete or cancelled"
    )
    change: str = Field(description="publish, withdraw, accept, reject, clear or delete")
    function: str = path("function", "name")
    implementation: int | None = Field(validation_alias="implementation_id")
    test: int | None = Field(validation_alias="test_id")
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
    topic: str = path("run", "topic", description="its stream of events")
    epoch: int
    seq: int = Field(description="the last event of the stream that this answer contains")
