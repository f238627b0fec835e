"""Use cases of agents' accounts: create, renew the token, retire."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.db.models.signals import pre_save
from django.utils.translation import gettext as _

from functions.errors import Conflict, Refusal, no_such
from functions.models import AGENT_MARK, Agent, is_agent_name
from functions.permissions import require_person
from runner.registry import Actor
from socialcode.accounts.models import ApiToken
from socialcode.accounts.names.rules import check_username, require_claim
from socialcode.accounts.tokens import create_token, revoke_token, tokens_of

MAX_AGENTS = 10
MAX_NAME_LENGTH = 60


def agents_of(person: User) -> QuerySet[Agent]:
    """Return a person's agents by name, with the last use of a token as `last_used_at`."""
    rows = Agent.objects.filter(person=person).select_related("user")
    used = rows.annotate(last_used_at=Max("user__api_tokens__last_used_at"))
    return used.annotate(newest_token=Max("user__api_tokens__created_at")).order_by(
        "user__username"
    )


def create_agent(
    *,
    actor: Actor,
    name: str,
    scopes: Collection[str] | None = None,
    expires_at: datetime | None = None,
) -> tuple[Agent, str]:
    """Create an agent of this person; return it with its token, which isn't stored."""
    person = require_person(actor)
    _check_name(name)
    with transaction.atomic():
        # One at a time, so that concurrent requests don't exceed the limit.
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        if Agent.objects.filter(person=person).count() >= MAX_AGENTS:
            message = _("You have %(limit)s agents, as many as one may.") % {"limit": MAX_AGENTS}
            raise Conflict("too_many_agents", message)
        user = _create_user(f"{name}{AGENT_MARK}")
        agent = Agent.objects.create(user=user, person=person)
        return agent, create_token(user=user, scopes=scopes, expires_at=expires_at)[1]


@transaction.atomic
def renew_token(
    *,
    actor: Actor,
    username: str,
    scopes: Collection[str] | None = None,
    expires_at: datetime | None = None,
) -> str:
    """Revoke an agent's tokens and return a new one, which isn't stored.

    Without `scopes`, it has those of the agent's newest token.
    """
    agent = _own_agent(actor, username)
    former = tokens_of(agent.user).first()
    if scopes is None and former is not None:
        scopes = former.scopes
    _revoke_tokens(agent.user)
    return create_token(user=agent.user, scopes=scopes, expires_at=expires_at)[1]


@transaction.atomic
def retire_agent(*, actor: Actor, username: str) -> None:
    """Revoke an agent's tokens; its account and its works stay, and a new token revives it."""
    _revoke_tokens(_own_agent(actor, username).user)


def keep_signed_out(*, instance: User, **_: Any) -> None:
    """Deny an agent what is only for people: a password, an e-mail address, and being staff."""
    if is_agent_name(instance.username):
        instance.is_staff = instance.is_superuser = False
        instance.email = ""
        if instance.has_usable_password():
            instance.set_unusable_password()


def register() -> None:
    """Connect the signal that keeps agents from signing in by password; called once."""
    pre_save.connect(keep_signed_out, sender=User)


def _own_agent(actor: Actor, username: str) -> Agent:
    person = require_person(actor)
    rows = Agent.objects.filter(person=person, user__username=username)
    agent = rows.select_related("user").select_for_update(of=("self",)).first()
    if agent is None:
        raise no_such("agent")
    return agent


def _revoke_tokens(user: User) -> None:
    for token_id in list(ApiToken.objects.filter(user=user).values_list("pk", flat=True)):
        revoke_token(user=user, token_id=token_id)


def _check_name(name: str) -> None:
    """Refuse names that no person could have, or that look like a person's."""
    if len(name) > MAX_NAME_LENGTH:
        message = _("At most %(limit)s characters.") % {"limit": MAX_NAME_LENGTH}
        raise Refusal("too_long", message, field="name")
    try:
        UnicodeUsernameValidator()(name)
        check_username(name)
    except ValidationError as error:
        raise Refusal("invalid_name", error.messages[0], field="name") from error


def _create_user(username: str) -> User:
    user = User(username=username)
    user.set_unusable_password()
    try:
        with transaction.atomic():
            user.save()
            require_claim(user)
    except IntegrityError as error:
        message = _("An agent of this name, or of one that looks like it, already exists.")
        raise Conflict("name_taken", message, field="name") from error
    return user
