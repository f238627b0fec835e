"""The API of accounts: creation of tokens by name and password, and suspensions by staff."""

from datetime import datetime

from allauth.mfa.utils import is_mfa_enabled
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Credentials, ListQuery
from functions.api.moderation_schemas import Reason
from functions.api.problems import problem, refusals
from functions.api.schemas import Answer, OrNull, Username
from functions.permissions import require_staff
from socialcode.accounts.models import Suspension
from socialcode.accounts.passwords.guess_limit import AccountShut, address_of, user_with_password
from socialcode.accounts.security.guesses import TooManyGuesses
from socialcode.accounts.security.log import Event, log_event, log_refusal
from socialcode.accounts.suspensions import (
    SuspensionPage,
    lift_suspension,
    suspend,
    suspensions,
)
from socialcode.accounts.tokens import create_token

router = Router(tags=["tokens"])
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


class TokenMade(Answer):
    """A new token, which is shown only once."""

    token: str


@router.post(
    "/",
    response={201: TokenMade, **refusals(400, 401, 413, 422, 429)},
    operation_id="create_token",
    url_name="create_token",
    summary="Make a token",
)
def make_token(request: HttpRequest, payload: Credentials) -> Status[TokenMade] | HttpResponse:
    """Return a token by which programs act for this user, until it is revoked on the site."""
    try:
        user = user_with_password(address_of(request), payload.username, payload.password)
    except TooManyGuesses as refusal:
        detail, wait = refusal.message, refusal.wait_seconds
        return problem(429, detail=detail, retry_after_seconds=wait)
    except AccountShut as refusal:
        return problem(401, code="suspended", detail=refusal.why)
    if user is None:
        detail = _("Wrong user name or password.")
        return problem(401, code="wrong_credentials", detail=detail)
    if is_mfa_enabled(user):
        log_refusal(Event.SIGN_IN, "needs_factor", user=user)
        detail = _("This account has a second factor: make the token on the site.")
        return problem(401, code="second_factor", detail=detail)
    log_event(Event.SIGN_IN, user=user)
    name = payload.name or "made by name and password"
    text = create_token(user=user, name=name)[1]
    return Status(201, TokenMade(token=text))


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
