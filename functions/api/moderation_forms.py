"""Schemas of acts of owners and staff."""

from datetime import datetime

from ninja import Schema
from pydantic import Field, StrictBool

from functions.api.bodies import Text
from functions.api.schemas import FunctionShort

MOST_ROWS = 100


class Receiver(Schema):
    """Whom a function is handed on to, by name."""

    to: Text


class Reason(Schema):
    """Why something is done; everybody may read it."""

    reason: Text = ""


class NewName(Schema):
    """What a function is to be called."""

    name: str  # the rule about names says more than the one about texts


class Verdict(Schema):
    """What the owner says of a work; null leaves it to the votes."""

    acceptable: StrictBool | None
    reason: Text = ""


class FlagRaised(Schema):
    """What is wrong with something."""

    reason: Text


class Resolution(Schema):
    """What became of a flag."""

    upheld: StrictBool
    note: Text


class FunctionOwned(FunctionShort):
    """A function with what its owner decides besides its definition."""

    offered_to: str | None = Field(description="whom ownership is offered to")


class FlagShown(Schema):
    """A flag, and what became of it."""

    id: int
    kind: str = Field(description="function, implementation, test or comment")
    function: str
    label: str = Field(description="what people call the item; nothing, if it is the function")
    url: str = Field(description="its page; nothing, if it is gone")
    flagger: str
    reason: str
    state: str = Field(description="open, upheld or dismissed")
    resolver: str | None
    note: str = Field(description="what staff said")
    created_at: datetime
    resolved_at: datetime | None


class FlagList(Schema):
    """A page of flags; `next` is the cursor of the page that follows."""

    items: list[FlagShown]
    next: str | None


class AuditEntryShown(Schema):
    """An act of an owner or of staff."""

    id: int
    at: datetime
    actor: str
    act: str
    function: str | None
    kind: str = Field(description="of the work or comment that it is about, if any")
    label: str = Field(description="what people call that")
    person: str | None = Field(description="whom it concerns")
    reason: str


class AuditList(Schema):
    """A page of the log; `next` is the cursor of the page that follows."""

    items: list[AuditEntryShown]
    next: str | None


class ListQuery(Schema):
    """Which page of a list."""

    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")

    @property
    def rows(self) -> int:
        return min(self.limit, MOST_ROWS)
