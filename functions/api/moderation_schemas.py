"""Schemas of acts of owners and staff."""

from datetime import datetime

from ninja import Schema
from pydantic import Field, StrictBool

from functions.api.bodies import Text
from functions.api.schemas import Answer, FunctionShort, OrNull


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

    offered_to: OrNull = Field(description="whom ownership is offered to")


class FlagShown(Answer):
    """A flag, and what became of it."""

    id: int
    kind: str = Field(description="function, implementation, test or comment")
    function: str
    label: str = Field(description="what people call the item; nothing, if it is the function")
    url: str = Field(description="its page; nothing, if it is gone")
    flagger: str
    reason: str
    state: str = Field(description="open, upheld or dismissed")
    resolver: OrNull
    note: str = Field(description="what staff said")
    created_at: datetime
    resolved_at: datetime | None


class FlagList(Answer):
    """A page of flags; `next` is the cursor of the page that follows."""

    items: list[FlagShown] = Field(validation_alias="rows")
    next: OrNull


class AuditEntryShown(Answer):
    """An act of an owner or of staff."""

    id: int
    at: datetime
    actor: str
    act: str
    function: OrNull
    kind: str = Field(description="of the work or comment that it is about, if any")
    label: str = Field(description="what people call that")
    person: OrNull = Field(description="whom it concerns")
    reason: str


class AuditList(Answer):
    """A page of the log; `next` is the cursor of the page that follows."""

    items: list[AuditEntryShown] = Field(validation_alias="rows")
    next: OrNull
