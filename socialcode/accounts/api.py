"""Tokens for name and password, for programs that act for people."""

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from functions.api.bodies import Credentials
from functions.api.problems import problem, refusals
from functions.api.schemas import TokenMade
from socialcode.accounts.signing import TooManyGuesses, address_of, user_with_password
from socialcode.accounts.tokens import create_token

router = Router(tags=["tokens"])


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
    if user is None:
        detail = "This name and this password don't belong together."
        return problem(401, code="wrong_credentials", detail=detail)
    _, text = create_token(user=user, name=payload.name or "made by name and password")
    return Status(201, TokenMade(token=text))
