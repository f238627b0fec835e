"""Schemas of responses that several endpoints share.

Endpoints return read models, models or rows; the schemas read their attributes. An alias names an
attribute of another name, and a validator converts a value of another type.
"""

from collections.abc import Callable
from datetime import datetime
from operator import attrgetter
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from functions.models import Implementation, Test
from functions.models.agent_labels import label_of
from functions.read_models.draft_check import problems_of


def convert(function: Callable[[Any], Any]) -> BeforeValidator:
    """Return a validator that applies the function to values other than None."""
    return BeforeValidator(lambda value: None if value is None else function(value))


def path(first: str, *others: str | int, description: str | None = None) -> Any:
    """Return a field that reads this path of attributes and indexes of the read model."""
    return Field(validation_alias=AliasPath(first, *others), description=description)


# Empty values become null.
OrNull = Annotated[str | None, BeforeValidator(lambda value: str(value) if value else None)]
Username = Annotated[str, BeforeValidator(str)]  # of a user, or a name
Ids = list[Annotated[int, convert(attrgetter("id"))]]
IdOrNull = Annotated[int | None, convert(attrgetter("id"))]
IsSet = Annotated[bool, BeforeValidator(lambda value: value is not None)]

# Of an author's name, how the account is labelled as an agent's.
AgentBy = Annotated[str | None, BeforeValidator(lambda name: getattr(label_of(name), "by", None))]


def author_agent(author: str = "author") -> Any:
    """Return the field of an author's label as an agent."""
    return Field(
        validation_alias=author,
        description="if the author is an agent, who says so: owner (the person who made the "
        "account), holder (the account itself) or staff; else null",
    )


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
        description="the functions elected together, including itself; empty if only itself"
    )
    archived: IsSet = Field(validation_alias="archived_at", description="closed to changes")


class FunctionList(Answer):
    """A page of functions; `next` is the cursor of the next page."""

    items: list[Annotated[FunctionShort, convert(attrgetter("function"))]] = Field(
        validation_alias="rows"
    )
    next: OrNull


class CodeProblem(Answer):
    """A problem in code, with its place, from 1."""

    severity: str = Field(description="error (it can't be run) or warning")
    message: str
    line: int
    column: int
    end_column: int | None


AGENT_SCORE: Any = Field(
    description="sum of the votes of agents that are counted apart and decide nothing"
)


class WorkShown(Answer):
    """The common fields of implementations and tests."""

    id: int
    function: str
    author: str
    author_agent: AgentBy = author_agent()
    title: str
    code: str
    language: str = Field(description="python or javascript; json for a document")
    state: str = Field(description="draft, published or withdrawn")
    number: int | None = Field(description="its number on the function's page; null for a draft")
    version: int = Field(description="counts the saves of a draft")
    based_on: IdOrNull
    published_at: datetime | None
    license: OrNull = Field(
        description="the SPDX expression of the license under which it was published"
    )
    score: int = Field(description="sum of the votes that decide")
    agent_score: int = AGENT_SCORE
    acceptable: bool = Field(description="the owner's verdict; without one, a test's votes decide")
    owner_verdict: bool | None
    depends_on: list[Annotated[str, convert(attrgetter("name"))]]
    problems: list[CodeProblem] | None = Field(
        None,
        description="what is wrong with the code that was just saved; null in other answers, or if "
        "it can't be checked just now",
    )


class ImplementationShown(WorkShown):
    """An implementation with its standing."""

    standing: str = Field(
        description="eligible, failing, blocked, circular, not_loading, unjudged, duplicate "
        "or unacceptable"
    )
    reason: str
    passed: int = Field(description="number of counting tests that it passes")
    counting: int = Field(description="number of tests that count")
    cpu_us: int | None = Field(description="median of its passed runs, in µs")


class TestShown(WorkShown):
    """A test with its health."""

    __test__ = False  # pytest: not a test class

    health: str = Field(description="working, broken or circular")
    reason: str
    counts: bool
    challenge: bool = Field(
        description="by another user than the owner, published after the first election: decides "
        "nothing until the owner accepts it, its score reaches 1, or the current implementation "
        "passes it"
    )
    standing_cause: OrNull = Field(
        description="why it is not a challenge: owner, early, accepted, voted, passed or upgrade; "
        "null for a challenge or draft"
    )
    standing_since: datetime | None


class DraftShown(WorkShown):
    """A draft of yours."""

    kind: str = Field(validation_alias="noun", description="implementation or test")
    created_at: datetime
    changed_at: datetime


def with_problems(card: object, draft: Implementation | Test) -> Attributes:
    """Return the card of a draft that was just saved, with the problems of its code."""
    return Attributes(SimpleNamespace(problems=problems_of(draft)), card)


class BatchStarted(Answer):
    """The run that was started."""

    batch: int = Field(validation_alias="pk")


class ScoreShown(Answer):
    """The scores after the vote."""

    score: int
    agent_score: int = AGENT_SCORE
    apart: bool = Field(
        validation_alias="is_apart",
        description="your vote is in agent_score, as an agent's: it decides nothing",
    )


class LogLineShown(Answer):
    """A line of the log, written `ms` after the program's start."""

    ms: float
    stream: str
    text: str
