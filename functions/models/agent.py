"""Agents: accounts of programs that act for a person."""

from django.conf import settings
from django.db import models
from django.utils import timezone

# Ends the user name of every agent, and of nobody else: brackets can't be part of a person's name.
AGENT_MARK = "[agent]"


class Agent(models.Model):
    """An account of a program, and the person who made it and answers for it.

    It signs in by tokens only, and only while its person's account is active. Written by
    `socialcode.accounts.agents`.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="agent"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="agents"
    )
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"agent {self.user_id} of {self.person_id}"


class AgentLabel(models.Model):
    """The label of a person's account that a program uses, by its holder or by staff.

    Accounts of `Agent` need none. Written by `socialcode.accounts.agents.labels`.
    """

    class Source(models.TextChoices):
        HOLDER = "holder", "holder"
        STAFF = "staff", "staff"

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="agent_label",
    )
    source = models.CharField(max_length=8, choices=Source.choices)
    reason = models.CharField(max_length=500, blank=True, default="")  # staff's
    created_at = models.DateTimeField(default=timezone.now)
    # when all of its votes were found counted as an agent's; null: not yet
    settled_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"label of {self.user_id} by {self.source}"


def is_agent_name(username: str) -> bool:
    """Return whether this user name is an agent's."""
    return username.endswith(AGENT_MARK)
