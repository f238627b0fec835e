"""Endpoints of suspensions, by staff."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Query, Router, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import ListQuery
from functions.api.moderation_schemas import Reason
from functions.api.problems import refusals
from functions.api.schemas import Answer, OrNull, Username
from functions.permissions import require_staff
from socialcode.accounts.models import Suspension
from socialcode.accounts.suspensions import (
    SuspensionPage,
    lift_suspension,
    suspend,
    suspensions,
)

accounts = Router(tags=["moderation"], auth=SOMEBODY)


class SuspensionShown(Answer):
    """A suspension of an account."""

    username: Username = Field(validation_alias="user")
    reason: str
    suspended_by: Username
    since: datetime = Field(validation_alias="created_at")


class SuspensionList(Answer):
    """A page of suspensions; `next` is the cursor of the page that follows."""

    items: list[SuspensionShown] = Field(validation_alias="rows")
    next: OrNull


@accounts.get(
    "/staff/suspensions/",
    response={200: SuspensionList, **refusals(400, 401, 403)},
    summary="Suspended accounts",
)
def list_suspensions(request: HttpRequest, query: Query[ListQuery]) -> SuspensionPage:
    """Return the current suspensions, newest first; only for staff."""
    require_staff(request.user)
    return suspensions(**query.model_dump())


@accounts.put(
    "/accounts/{username}/suspension/",
    response={200: SuspensionShown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Suspend an account",
)
def put_suspension(request: HttpRequest, username: str, payload: Reason) -> Suspension:
    """Suspend an account; its sessions, sockets and tokens end at once. Only for staff."""
    return suspend(actor=request.user, username=username, reason=payload.reason)


@accounts.delete(
    "/accounts/{username}/suspension/",
    response={204: None, **refusals(401, 403, 404, 409, 429)},
    summary="Lift a suspension",
)
def delete_suspension(request: HttpRequest, username: str) -> Status[None]:
    """Lift a suspension; only for staff."""
    lift_suspension(actor=request.user, username=username)
    return Status(204, None)
