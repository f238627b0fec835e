"""Endpoints of labels of accounts as agents, by themselves and by staff."""

from django.http import HttpRequest
from ninja import Router, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.moderation_schemas import Reason
from functions.api.problems import refusals
from functions.api.schemas import Answer, Username
from functions.models import AgentLabel
from socialcode.accounts.agents.labels import (
    label_account,
    label_oneself,
    unlabel_account,
    unlabel_oneself,
)

router = Router(tags=["agents"], auth=SOMEBODY)


class LabelShown(Answer):
    """An account's label as an agent."""

    username: Username = Field(validation_alias="user")
    source: str = Field(description="holder (the account itself) or staff")


@router.put(
    "/account/agent-label/",
    response={200: LabelShown, **refusals(401, 403, 429)},
    summary="Label your account as an agent",
)
def put_own_label(request: HttpRequest) -> AgentLabel:
    """Say that a program uses your account: it is shown, and all your votes are counted apart."""
    return label_oneself(actor=request.user)


@router.delete(
    "/account/agent-label/",
    response={204: None, **refusals(401, 403, 409, 429)},
    summary="Remove your label as an agent",
)
def delete_own_label(request: HttpRequest) -> Status[None]:
    """Remove the label, unless staff gave it. Votes stay an agent's until they are cast again."""
    unlabel_oneself(actor=request.user)
    return Status(204, None)


@router.put(
    "/accounts/{username}/agent-label/",
    response={200: LabelShown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Label an account as an agent",
)
def put_label(request: HttpRequest, username: str, payload: Reason) -> AgentLabel:
    """Label an account as an agent; only for staff, who alone can remove it. The log shows it."""
    return label_account(actor=request.user, username=username, reason=payload.reason)


@router.delete(
    "/accounts/{username}/agent-label/",
    response={204: None, **refusals(401, 403, 404, 409, 429)},
    summary="Remove an account's label as an agent",
)
def delete_label(request: HttpRequest, username: str) -> Status[None]:
    """Remove a label, whoever gave it; only for staff. The log shows it."""
    unlabel_account(actor=request.user, username=username)
    return Status(204, None)
