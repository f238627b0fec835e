"""Labels of agents' accounts by user name, as one snapshot a process.

Every page and answer shows them beside names, so they cost no query of their own: a snapshot is
read anew after some seconds, and at once after a change in this process. What decides reads rows.
"""

import threading
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models.signals import post_delete, post_save
from django.utils.translation import gettext as _

from .agent import Agent, AgentLabel, is_agent_name

FRESH_SECONDS = 10.0
OWNER = "owner"  # beside `AgentLabel.Source`: made by the person who answers for it

_READ = """
    select lower(u.username), 'owner', p.username from functions_agent a
    join auth_user u on u.id = a.user_id join auth_user p on p.id = a.person_id
    union all
    select lower(u.username), l.source, '' from functions_agentlabel l
    join auth_user u on u.id = l.user_id
"""


class Label(NamedTuple):
    """The label of one account: who gave it, and the person who answers for the account."""

    by: str  # owner, holder or staff
    person: str  # empty if nobody but its holder

    @property
    def words(self) -> str:
        """What is shown beside the name."""
        if self.by == OWNER:
            return _("agent of %(person)s") % {"person": self.person}
        return _("agent, says staff") if self.by == AgentLabel.Source.STAFF else _("agent")


class Snapshot:
    """All labels, read at most every few seconds; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._labels: Mapping[str, Label] = MappingProxyType({})
        self._read_at: float | None = None

    def forget(self, **_: Any) -> None:
        """Read again at the next question; also after the transaction, which may be rolled back."""
        self._read_at = None
        transaction.on_commit(self._expire)

    def _expire(self) -> None:
        self._read_at = None

    def find(self, username: str) -> Label | None:
        """Return the label of this account, or None."""
        return self._current().get(username.lower())

    def _current(self) -> Mapping[str, Label]:
        read_at = self._read_at
        if read_at is None or time.monotonic() - read_at > FRESH_SECONDS:
            with self._lock:
                self._labels, self._read_at = _read(), time.monotonic()
        return self._labels

    def assume_none(self) -> None:
        """Assume that there are no labels until one is given in this process; for tests."""
        self._labels, self._read_at = MappingProxyType({}), time.monotonic()


def _read() -> Mapping[str, Label]:
    with connection.cursor() as cursor:
        cursor.execute(_READ)
        return MappingProxyType({name: Label(by, person) for name, by, person in cursor})


snapshot = Snapshot()


def label_of(username: str) -> Label | None:
    """Return the label to show beside this name, a few seconds old at most; None for people."""
    return snapshot.find(username)


def is_agent(username: str) -> bool:
    """Return whether this account is labelled as an agent's, as `label_of` does."""
    return is_agent_name(username) or snapshot.find(username) is not None


def name_behind(username: str) -> str:
    """Return the name of the person who answers for this account: for people, their own."""
    label = snapshot.find(username)
    return (label.person if label else "") or username


def register() -> None:
    """Read labels again after each change of theirs in this process; called once."""
    for model in (Agent, AgentLabel):
        for signal in (post_save, post_delete):
            signal.connect(snapshot.forget, sender=model)
