"""Endpoints of one's own votes and their history."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import ListQuery
from functions.api.problems import refusals
from functions.api.schemas import Answer, OrNull
from functions.permissions import require_account
from functions.read_models.votes import VotePage, own_vote_changes, own_votes

router = Router(tags=["votes"], auth=SOMEBODY)
LISTED = refusals(400, 401)


class VoteShown(Answer):
    """A vote of yours."""

    kind: str = Field(description="implementation, test or comment")
    id: int = Field(validation_alias="item_id", description="of the item voted on")
    function: str
    label: str = Field(description="the work's label; empty for a comment")
    url: str = Field(description="its page; empty if it was deleted or hidden")
    value: int = Field(description="1 or -1; in a change also 0, a vote taken back")
    apart: bool = Field(description="counted apart, as an agent's vote, and decides nothing")
    changed_at: datetime | None = Field(
        validation_alias="at", description="null: before there was a history"
    )


class VoteChangeShown(VoteShown):
    """A change of a vote of yours."""

    former: int = Field(description="the value before; 0: none")


class VoteList(Answer):
    """A page of votes; `next` is the cursor of the next page."""

    items: list[VoteShown] = Field(validation_alias="rows")
    next: OrNull


class VoteChangeList(Answer):
    """A page of changes; `next` is the cursor of the next page."""

    items: list[VoteChangeShown] = Field(validation_alias="rows")
    next: OrNull


@router.get("/", response={200: VoteList, **LISTED}, summary="List your votes")
def list_votes(request: HttpRequest, query: Query[ListQuery]) -> VotePage:
    """Return your present votes, the last cast first."""
    return own_votes(require_account(request.user), **query.model_dump())


@router.get("/history/", response={200: VoteChangeList, **LISTED}, summary="History of your votes")
def list_changes(request: HttpRequest, query: Query[ListQuery]) -> VotePage:
    """Return each change of your votes, the latest first; old changes are removed."""
    return own_vote_changes(require_account(request.user), **query.model_dump())
