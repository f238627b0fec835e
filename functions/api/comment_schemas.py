"""Schemas of comments."""

from datetime import datetime
from typing import Annotated, Literal

from ninja import Schema
from pydantic import BeforeValidator, Field

from functions.api.bodies import ListQuery, Text
from functions.api.schemas import AGENT_SCORE, AgentBy, Answer, OrNull, author_agent
from functions.models import Implementation, Test


def _id_of(noun: str) -> BeforeValidator:
    """Return a converter: a comment's place to its id if it has this noun, else None."""
    return BeforeValidator(lambda place: place.id if place.noun == noun else None)


class CommentAnswer(Answer):
    """A comment; `text` is null if it was deleted, or is hidden from the reader."""

    id: int
    function: str
    implementation: Annotated[int | None, _id_of(Implementation.noun)] = Field(
        validation_alias="place", description="the implementation that it is on, if any"
    )
    test: Annotated[int | None, _id_of(Test.noun)] = Field(
        validation_alias="place", description="the test that it is on, if any"
    )
    parent: int | None = Field(description="the comment that it replies to")
    author: str
    author_agent: AgentBy = author_agent()
    text: str | None = Field(description="Markdown")
    score: int
    agent_score: int = AGENT_SCORE
    replies: int
    created_at: datetime
    edited_at: datetime | None
    deleted: bool = Field(validation_alias="is_deleted")
    hidden: bool = Field(validation_alias="is_hidden")
    hidden_by: OrNull
    hidden_reason: str


class CommentAnswers(Answer):
    """A page of comments; `next` is the cursor of the next page."""

    items: list[CommentAnswer] = Field(validation_alias="comments")
    next: str | None


class CommentText(Schema):
    """The text of a comment."""

    text: Text = Field(description="Markdown; at most 10 000 characters")


class HidingReason(Schema):
    """The reason for hiding a comment."""

    reason: Text = Field(description="public; at most 500 characters")


class RepliesQuery(ListQuery):
    """A page of replies."""


class CommentQuery(RepliesQuery):
    """Which comments to list."""

    order: Literal["newest", "best"] = "newest"


class FunctionCommentQuery(CommentQuery):
    """Which comments to list."""

    on: Literal["everything", "function"] = Field(
        "everything", description="only the function itself, or its works too"
    )
