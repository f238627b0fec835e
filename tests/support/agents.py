"""Agents of tests."""

from django.contrib.auth.models import User

from functions.models import AGENT_MARK, Agent, AgentLabel
from tests.support.works import account


def agent_of(person: str, name: str) -> User:
    """Return the agent of this person and name."""
    user = account(f"{name}{AGENT_MARK}")
    Agent.objects.get_or_create(user=user, defaults={"person": account(person)})
    return user


def labelled(name: str, source: str = AgentLabel.Source.HOLDER) -> User:
    """Return the account of this name, labelled as an agent."""
    user = account(name)
    AgentLabel.objects.get_or_create(user=user, defaults={"source": source})
    return user
