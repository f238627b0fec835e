"""Schemas of acts of owners and staff."""

from datetime import datetime

from ninja import Schema
from pydantic import Field, StrictBool

from functions.api.bodies import Text
from functions.api.schemas import Answer, FunctionShort, OrNull


class Receiver(Schema):
    """The new owner of a function."""

    to: Text


class Reason(Schema):
    """The reason for an act; public."""

    reason: Text = ""


class NewName(Schema):
    """A function's new name."""

    name: str  # not Text: the check of names gives better errors


class Verdict(Schema):
    """The owner's verdict on a work; null leaves it to the votes."""

    acceptable: StrictBool | None
    reason: Text = ""


class FlagRaised(Schema):
    """The reason for flagging an item."""

    reason: Text


class Resolution(Schema):
    """The staff's decision on a flag."""

    upheld: StrictBool
    note: Text


class FunctionOwned(FunctionShort):
    """A function with its offer and archival."""

    offered_to: OrNull = Field(description="the user that ownership is offered to")


class FlagShown(Answer):
    """A flag and its resolution."""

    id: int
    kind: str = Field(description="function, implementation, test, comment or profile")
    function: str = Field(description="empty for a profile")
    label: str = Field(description="the item's label; empty for the function itself")
    url: str = Field(description="its page; empty if it was deleted")
    flagger: str
    reason: str
    state: str = Field(description="open, upheld or dismissed")
    resolver: OrNull
    note: str = Field(description="the staff's note")
    created_at: datetime
    resolved_at: datetime | None


class FlagList(Answer):
    """A page of flags; `next` is the cursor of the next page."""

    items: list[FlagShown] = Field(validation_alias="rows")
    next: OrNull


class AuditEntryShown(Answer):
    """An act of an owner or of staff."""

    id: int
    at: datetime
    actor: str
    act: str
    function: OrNull
    kind: str = Field(description="the kind of the work or comment that it is about, if any")
    label: str = Field(description="the label of that work or comment")
    person: OrNull = Field(description="the user affected")
    reason: str


class AuditList(Answer):
    """A page of the log; `next` is the cursor of the next page."""

    items: list[AuditEntryShown] = Field(validation_alias="rows")
    next: OrNull
