"""API of accounts: tokens for name and password, and suspensions by staff."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema, Status

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Credentials
from functions.api.moderation_forms import ListQuery, Reason
from functions.api.problems import problem, refusals
from functions.api.schemas import TokenMade
from functions.permissions import require_staff
from socialcode.accounts.models import Suspension
from socialcode.accounts.passwords.guess_limit import (
    AccountShut,
    TooManyGuesses,
    address_of,
    user_with_password,
)
from socialcode.accounts.suspensions import lift_suspension, suspend, suspensions
from socialcode.accounts.tokens import create_token

router = Router(tags=["tokens"])
accounts = Router(tags=["moderation"], auth=SOMEBODY)


class SuspensionShown(Schema):
    """A suspended account: since when, by whom and why."""

    username: str
    reason: str
    suspended_by: str
    since: datetime


class SuspensionList(Schema):
    """A page of suspensions; `next` is the cursor of the page that follows."""

    items: list[SuspensionShown]
    next: str | None


@router.post(
    "/",
    response={201: TokenMade, **refusals(400, 401, 413, 422, 429)},
    operation_id="create_token",
    url_name="create_token",
    summary="Make a token",
)
def make_token(request: HttpRequest, payload: Credentials) -> Status[TokenMade] | HttpResponse:
    """Return a token that acts for this user until it is revoked on the site."""
    try:
        user = user_with_password(address_of(request), payload.username, payload.password)
    except TooManyGuesses as refusal:
        return problem(429, retry_after_seconds=refusal.wait_seconds)
    except AccountShut as refusal:
        return problem(401, code="suspended", detail=refusal.why)
    if user is None:
        detail = "This name and this password don't belong together."
        return problem(401, code="wrong_credentials", detail=detail)
    _, text = create_token(user=user, name=payload.name or "made by name and password")
    return Status(201, TokenMade(token=text))


@accounts.get(
    "/staff/suspensions/",
    response={200: SuspensionList, **refusals(400, 401, 403)},
    summary="Suspended accounts",
)
def list_suspensions(request: HttpRequest, query: Query[ListQuery]) -> SuspensionList:
    """Return the suspended accounts to staff, the newest first."""
    require_staff(request.user)
    page = suspensions(cursor=query.cursor, limit=query.rows)
    return SuspensionList(items=[_shown(row) for row in page.rows], next=page.next or None)


@accounts.put(
    "/accounts/{username}/suspension/",
    response={200: SuspensionShown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Suspend an account",
)
def put_suspension(request: HttpRequest, username: str, payload: Reason) -> SuspensionShown:
    """Suspend an account, as staff: its sessions, sockets and tokens end at once."""
    return _shown(suspend(actor=request.user, username=username, reason=payload.reason))


@accounts.delete(
    "/accounts/{username}/suspension/",
    response={204: None, **refusals(401, 403, 404, 409, 429)},
    summary="Lift a suspension",
)
def delete_suspension(request: HttpRequest, username: str) -> Status[None]:
    """Lift a suspension, as staff."""
    lift_suspension(actor=request.user, username=username)
    return Status(204, None)


def _shown(suspension: Suspension) -> SuspensionShown:
    return SuspensionShown(
        username=suspension.user.get_username(),
        reason=suspension.reason,
        suspended_by=suspension.suspended_by.get_username(),
        since=suspension.created_at,
    )
