"""Endpoints of a person's agents, and of labels of accounts as agents."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Router, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Text
from functions.api.moderation_schemas import Reason
from functions.api.problems import refusals
from functions.api.resource_use import ResourceUsed
from functions.api.schemas import Answer, Username, path
from functions.models import Agent, AgentLabel
from functions.permissions import require_person
from functions.read_models.resource_use import use_page
from socialcode.accounts.agents.accounts import agents_of, create_agent, renew_token, retire_agent
from socialcode.accounts.agents.labels import (
    label_account,
    label_oneself,
    unlabel_account,
    unlabel_oneself,
)
from socialcode.accounts.api.tokens import TokenPowers, granted

router = Router(tags=["agents"], auth=SOMEBODY)
labels = Router(tags=["agents"], auth=SOMEBODY)
AS_BEFORE = TokenPowers.model_validate({})


class AgentShown(Answer):
    """An account of a program that acts for you."""

    username: str = path("user", "username")
    created_at: datetime
    token_made_at: datetime | None = Field(
        validation_alias="newest_token", description="null: retired, without a token"
    )
    last_used_at: datetime | None
    use: list[ResourceUsed] = Field(description="today, with the limits of the agent's own")


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
    agents = list(agents_of(require_person(request.user)))
    for agent in agents:
        agent.use = use_page(agent.user).uses  # type: ignore[attr-defined]
    return {"items": agents}


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


class LabelShown(Answer):
    """An account's label as an agent."""

    username: Username = Field(validation_alias="user")
    source: str = Field(description="holder (the account itself) or staff")


@labels.put(
    "/account/agent-label/",
    response={200: LabelShown, **refusals(401, 403, 429)},
    summary="Label your account as an agent",
)
def put_own_label(request: HttpRequest) -> AgentLabel:
    """Say that a program uses your account: it is shown, and all your votes are counted apart."""
    return label_oneself(actor=request.user)


@labels.delete(
    "/account/agent-label/",
    response={204: None, **refusals(401, 403, 409, 429)},
    summary="Remove your label as an agent",
)
def delete_own_label(request: HttpRequest) -> Status[None]:
    """Remove the label, unless staff gave it. Votes stay an agent's until they are cast again."""
    unlabel_oneself(actor=request.user)
    return Status(204, None)


@labels.put(
    "/accounts/{username}/agent-label/",
    response={200: LabelShown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Label an account as an agent",
)
def put_label(request: HttpRequest, username: str, payload: Reason) -> AgentLabel:
    """Label an account as an agent; only for staff, who alone can remove it. The log shows it."""
    return label_account(actor=request.user, username=username, reason=payload.reason)


@labels.delete(
    "/accounts/{username}/agent-label/",
    response={204: None, **refusals(401, 403, 404, 409, 429)},
    summary="Remove an account's label as an agent",
)
def delete_label(request: HttpRequest, username: str) -> Status[None]:
    """Remove a label, whoever gave it; only for staff. The log shows it."""
    unlabel_account(actor=request.user, username=username)
    return Status(204, None)
