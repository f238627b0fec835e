"""Schemas of responses that several endpoints share.

Endpoints return read models, models or rows; the schemas read their attributes. An alias names an
attribute of another name, and a validator converts a value of another type.
"""

from collections.abc import Callable
from datetime import datetime
from operator import attrgetter
from typing import Annotated, Any, ClassVar

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, model_validator


def convert(function: Callable[[Any], Any]) -> BeforeValidator:
    """Return the validator that converts values by this function, except null."""
    return BeforeValidator(lambda value: None if value is None else function(value))


def path(first: str, *others: str | int, description: str | None = None) -> Any:
    """Return the field at this path of attributes and indexes of the read model."""
    return Field(validation_alias=AliasPath(first, *others), description=description)


# What is there, or null for nothing.
OrNull = Annotated[str | None, BeforeValidator(lambda value: str(value) if value else None)]
Username = Annotated[str, BeforeValidator(str)]  # of a user, or a name
Ids = list[Annotated[int, convert(attrgetter("id"))]]
IdOrNull = Annotated[int | None, convert(attrgetter("id"))]
IsSet = Annotated[bool, BeforeValidator(lambda value: value is not None)]


class Answer(BaseModel):
    """A response, or a part of one."""

    model_config = ConfigDict(from_attributes=True)


class Attributes:
    """The attributes of several objects; the first object that has one wins."""

    def __init__(self, *objects: object) -> None:
        self._objects = objects

    def __getattr__(self, name: str) -> Any:
        for one in self._objects:
            try:
                return getattr(one, name)
            except AttributeError:
                continue
        raise AttributeError(name)


class Flat(Answer):
    """A response that also has the attributes of `parts` of its read model."""

    parts: ClassVar[tuple[str, ...]]

    @model_validator(mode="before")
    @classmethod
    def _flatten(cls, whole: Any) -> Attributes:
        return Attributes(whole, *(attrgetter(part)(whole) for part in cls.parts))


class LinkShown(Answer):
    """A function by name; `missing` when there is none."""

    name: str
    status: str = Field(description="implemented, blocked, not_implemented or missing")


class FunctionShort(Answer):
    """A function in a list."""

    name: str
    kind: str
    language: str
    signature: str
    description: str
    owner: Username
    status: str = Field(description="implemented, blocked or not_implemented")
    untested: bool
    elected: int | None = Field(
        validation_alias="elected_id", description="the id of the current implementation"
    )
    circle: list[str] = Field(
        description="the functions elected together, itself among them; empty: it alone"
    )
    archived: IsSet = Field(validation_alias="archived_at", description="it takes nothing new")


class FunctionList(Answer):
    """A page of functions; `next` is the cursor of the page that follows."""

    items: list[Annotated[FunctionShort, convert(attrgetter("function"))]] = Field(
        validation_alias="rows"
    )
    next: OrNull


class WorkShown(Answer):
    """What implementations and tests have in common."""

    id: int
    function: str
    author: str
    title: str
    code: str
    state: str = Field(description="draft, published or withdrawn")
    number: int | None = Field(description="how people call it, once it is published")
    version: int = Field(description="counts the saves of a draft")
    based_on: IdOrNull
    published_at: datetime | None
    score: int = Field(description="votes up less votes down")
    acceptable: bool = Field(description="the owner's verdict, else (of a test) its voters'")
    owner_verdict: bool | None
    depends_on: list[Annotated[str, convert(attrgetter("name"))]]


class ImplementationShown(WorkShown):
    """An implementation with its standing."""

    standing: str = Field(
        description="eligible, failing, blocked, circular, not_loading, unjudged, duplicate "
        "or unacceptable"
    )
    reason: str
    passed: int = Field(description="counting tests passed")
    counting: int = Field(description="tests that count")
    cpu_us: int | None = Field(description="median of the runs that passed")


class TestShown(WorkShown):
    """A test with its health."""

    __test__ = False  # pytest: not a test class

    health: str = Field(description="working, broken or circular")
    reason: str
    counts: bool
    challenge: bool = Field(
        description="somebody's who doesn't own the function, published after its first election: "
        "it decides nothing until the owner accepts it, its score reaches 1, or the current "
        "implementation passes it"
    )
    standing_cause: OrNull = Field(
        description="why it is no challenge: owner, early, accepted, voted, passed or upgrade; "
        "null: it is one, or a draft"
    )
    standing_since: datetime | None


class BatchStarted(Answer):
    """The run that follows."""

    batch: int = Field(validation_alias="pk")


class ScoreShown(Answer):
    """The score after the vote."""

    score: int


class LogLineShown(Answer):
    """A line that the program wrote, `ms` after its start."""

    ms: float
    stream: str
    text: str
