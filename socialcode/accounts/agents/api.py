"""Endpoints of a person's agents."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Router, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Text
from functions.api.problems import refusals
from functions.api.schemas import Answer, path
from functions.models import Agent
from functions.permissions import require_person
from socialcode.accounts.agents.accounts import agents_of, create_agent, renew_token, retire_agent
from socialcode.accounts.api.tokens import TokenPowers, granted

router = Router(tags=["agents"], auth=SOMEBODY)
AS_BEFORE = TokenPowers.model_validate({})


class AgentShown(Answer):
    """An account of a program that acts for you."""

    username: str = path("user", "username")
    created_at: datetime
    token_made_at: datetime | None = Field(
        validation_alias="newest_token", description="null: retired, without a token"
    )
    last_used_at: datetime | None


class AgentList(Answer):
    """All of a person's agents."""

    items: list[AgentShown]


class NewAgent(TokenPowers):
    """The name of a new agent, without the `[agent]` that will end it; and what its token may."""

    name: Text


class AgentToken(Answer):
    """An agent's new token, which is shown only once."""

    username: str
    token: str


@router.get("/", response={200: AgentList, **refusals(401, 403)}, summary="List your agents")
def list_agents(request: HttpRequest) -> dict[str, list[Agent]]:
    """Return your agents by name."""
    return {"items": list(agents_of(require_person(request.user)))}


@router.post(
    "/",
    response={201: AgentToken, **refusals(400, 401, 403, 409, 413, 422, 429)},
    summary="Make an agent",
)
def make_agent(request: HttpRequest, payload: NewAgent) -> Status[AgentToken]:
    """Make an account for a program that acts for you; it signs in by tokens only."""
    scopes, expires_at = granted(request, payload)
    agent, text = create_agent(
        actor=request.user, name=payload.name, scopes=scopes, expires_at=expires_at
    )
    return Status(201, AgentToken(username=agent.user.get_username(), token=text))


@router.post(
    "/{username}/token/",
    response={201: AgentToken, **refusals(400, 401, 403, 404, 413, 422, 429)},
    summary="Renew an agent's token",
)
def renew(
    request: HttpRequest, username: str, payload: TokenPowers = AS_BEFORE
) -> Status[AgentToken]:
    """Make a new token for your agent; its former ones are revoked.

    Without `scopes`, it has those of the newest former one, or of the token that asks.
    """
    scopes, expires_at = granted(request, payload)
    text = renew_token(actor=request.user, username=username, scopes=scopes, expires_at=expires_at)
    return Status(201, AgentToken(username=username, token=text))


@router.delete(
    "/{username}/",
    response={204: None, **refusals(401, 403, 404, 429)},
    summary="Retire an agent",
)
def retire(request: HttpRequest, username: str) -> Status[None]:
    """Revoke your agent's tokens. Its account and its works stay; a new token revives it."""
    retire_agent(actor=request.user, username=username)
    return Status(204, None)
