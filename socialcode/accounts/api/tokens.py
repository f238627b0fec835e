"""Endpoints of tokens: made by name and password, by a session or by another token."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Router, Schema, Status
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import OptionalText, Text
from functions.api.problems import problem, refusals
from functions.api.schemas import Answer
from functions.api.scopes import ACCOUNT, SCOPES, missing_scope, scopes_of
from functions.errors import Forbidden, Refusal, TooOften, no_such
from functions.permissions import require_account
from functions.request_limits import limit_of_page
from socialcode.accounts.models import ApiToken
from socialcode.accounts.passwords.guess_limit import AccountShut, address_of, user_with_password
from socialcode.accounts.security.guesses import TooManyGuesses
from socialcode.accounts.security.log import Event, log_event, log_refusal
from socialcode.accounts.tokens import create_token, revoke_token, tokens_of

router = Router(tags=["tokens"])
NAMED = "made by name and password"


def _all_if_none(scopes: Iterable[str] | None) -> list[str]:
    return list(SCOPES if scopes is None else scopes)


def _in_utc(instant: datetime | None) -> datetime | None:
    try:
        return instant and instant.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("the time is out of range") from error


class TokenPowers(Schema):
    """What a new token may do, and until when."""

    scopes: list[Text] | None = Field(
        None,
        max_length=len(SCOPES),
        description=f"of {', '.join(SCOPES)}; without it all, or those of the token that asks",
    )
    expires_at: Annotated[AwareDatetime | None, AfterValidator(_in_utc)] = Field(
        None, description="when it ends; without it never, or with the token that asks"
    )


class Credentials(TokenPowers):
    """The account that a token is for; without name and password, the one that asks."""

    username: OptionalText = None
    password: OptionalText = None
    name: Text = Field("", max_length=80, description="What the token is for.")


class TokenShown(Answer):
    """A token of yours, without its text."""

    id: int
    name: str
    prefix: str = Field(description="what its text begins with")
    scopes: Annotated[list[str], BeforeValidator(_all_if_none)]
    created_at: datetime
    expires_at: datetime | None = Field(description="null: never")
    last_used_at: datetime | None = Field(description="to the minute")


class TokenMade(TokenShown):
    """A new token, whose text is shown only once."""

    token: str


class TokenList(Answer):
    """All tokens of an account."""

    items: list[TokenShown]


@router.post(
    "/",
    response={201: TokenMade, **refusals(400, 401, 403, 413, 422, 429)},
    operation_id="create_token",
    url_name="tokens",
    summary="Make a token",
)
def make_token(request: HttpRequest, payload: Credentials) -> Status[TokenMade] | HttpResponse:
    """Return a token by which programs act for a user, until it ends or is revoked.

    It is for the user of this name and password; without them, for whoever is signed in by the
    session, or by a token with the scope `account`. A token can't make one that may do more than
    itself, or that ends later.
    """
    if payload.username is None and payload.password is None:
        return _token_for_asking_user(request, payload)
    missing = [name for name in ("username", "password") if getattr(payload, name) is None]
    if missing:
        message = _("Send both user name and password, or neither.")
        raise Refusal("malformed", message, field=missing[0])
    found = _user_with_password(request, payload)
    if isinstance(found, HttpResponse):
        return found
    log_event(Event.SIGN_IN, user=found)
    return _made(found, payload.name or NAMED, payload.scopes, payload.expires_at)


@router.get(
    "/", auth=SOMEBODY, response={200: TokenList, **refusals(401, 403)}, summary="List your tokens"
)
def list_tokens(request: HttpRequest) -> dict[str, list[ApiToken]]:
    """Return your tokens, the newest first, also expired ones; never their texts."""
    return {"items": list(tokens_of(require_account(request.user)))}


@router.delete(
    "/{int:id}/",
    auth=SOMEBODY,
    response={204: None, **refusals(401, 403, 404, 429)},
    summary="Revoke a token",
)
def delete_token(request: HttpRequest, id: int) -> Status[None]:
    """Revoke one of your tokens, also the one that asks."""
    if not revoke_token(user=require_account(request.user), token_id=id):
        raise no_such("token")
    return Status(204, None)


def granted(request: HttpRequest, asked: TokenPowers) -> tuple[list[str] | None, datetime | None]:
    """Return scopes and end of a new token, within those of the token that asks.

    Raises a Refusal if more is asked for.
    """
    own = scopes_of(request)
    scopes = asked.scopes
    if scopes is None:
        scopes = None if own == set(SCOPES) else [one for one in SCOPES if one in own]
    elif lacking := [one for one in scopes if one in SCOPES and one not in own]:
        message = _("This token lacks the scope “%(scope)s”.") % {"scope": lacking[0]}
        raise Forbidden("missing_scope", message, field="scopes")
    end: datetime | None = getattr(request, "token_expires_at", None)
    expires_at = asked.expires_at or end
    if end is not None and expires_at is not None and expires_at > end:
        message = _("A token can't make one that ends later than itself.")
        raise Refusal("outlives_token", message, field="expires_at")
    return scopes, expires_at


def _token_for_asking_user(
    request: HttpRequest, payload: Credentials
) -> Status[TokenMade] | HttpResponse:
    refusal: HttpResponse | None = getattr(request, "token_refusal", None)
    if refusal is not None:
        return refusal
    if not any(way(request) for way in SOMEBODY):
        return problem(401)
    if refusal := missing_scope(request, ACCOUNT):
        return refusal
    user = require_account(request.user)
    is_by_token = getattr(request, "is_authenticated_by_token", False)
    if not is_by_token and is_reauthentication_required(request, app="socialcode"):
        message = _("Show on the site again who you are, before you make a token.")
        raise Forbidden("proof_required", message)
    _count_new_token(user)
    return _made(user, payload.name, *granted(request, payload))


def _count_new_token(user: User) -> None:
    """Count a token under the same limit as those made on the page. Raises TooOften."""
    limit = limit_of_page("tokens")
    if limit and limit.user and not limit.user.count(f"user {user.pk}"):
        message = _("Too many requests; wait before you try again.")
        raise TooOften(message, retry_after_seconds=limit.user.retry_after_seconds())


def _made(
    user: User, name: str, scopes: list[str] | None, expires_at: datetime | None
) -> Status[TokenMade]:
    token, text = create_token(user=user, name=name, scopes=scopes, expires_at=expires_at)
    shown = TokenShown.model_validate(token).model_dump()
    return Status(201, TokenMade(**shown, token=text))


def _user_with_password(request: HttpRequest, payload: Credentials) -> User | HttpResponse:
    """Return the user, or the refusal of who can't have a token by name and password."""
    name, password = payload.username or "", payload.password or ""
    try:
        user = user_with_password(address_of(request), name, password)
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
    return user
