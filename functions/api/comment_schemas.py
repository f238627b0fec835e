"""Schemas of comments."""

from datetime import datetime
from typing import Literal

from ninja import Schema
from pydantic import Field

from functions.api.bodies import Text


class CommentAnswer(Schema):
    """A comment; `text` is null where it was deleted, or is hidden from whoever asks."""

    id: int
    function: str
    implementation: int | None = Field(description="what it is on, if that is an implementation")
    test: int | None = Field(description="what it is on, if that is a test")
    parent: int | None = Field(description="the comment that this one answers")
    author: str
    text: str | None = Field(description="Markdown")
    score: int
    replies: int
    created_at: datetime
    edited_at: datetime | None
    deleted: bool
    hidden: bool
    hidden_by: str | None
    hidden_reason: str


class CommentAnswers(Schema):
    """A page of comments; `next` is the cursor of the page that follows."""

    items: list[CommentAnswer]
    next: str | None


class CommentText(Schema):
    """What is said."""

    text: Text = Field(description="Markdown; at most 10 000 characters")


class HidingReason(Schema):
    """Why a comment is hidden."""

    reason: Text = Field(description="everybody sees it; at most 500 characters")


class RepliesQuery(Schema):
    """Which page of a list."""

    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")


class CommentQuery(RepliesQuery):
    """Which comments to list."""

    order: Literal["newest", "best"] = "newest"


class FunctionCommentQuery(CommentQuery):
    """Which comments to list."""

    on: Literal["everything", "function"] = Field(
        "everything", description="the function itself, or its works as well"
    )
