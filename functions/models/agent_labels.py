"""Labels of agents' accounts by user name, as one snapshot a process.

Every page and answer shows them beside names, so they cost no query of their own: a snapshot is
read anew after some seconds, and at once after a change in this process. What decides reads rows.
"""

import math
import threading
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models.signals import post_delete, post_save
from django.utils.translation import gettext as _

from .agent import Agent, AgentLabel

FRESH_SECONDS = 10.0
OWNER = "owner"  # beside `AgentLabel.Source`: made by the person who answers for it

_READ = """
    select u.id, lower(u.username), 'owner', p.username from functions_agent a
    join auth_user u on u.id = a.user_id join auth_user p on p.id = a.person_id
    union all
    select u.id, lower(u.username), l.source, '' from functions_agentlabel l
    join auth_user u on u.id = l.user_id
"""


class Label(NamedTuple):
    """The label of one account: who gave it, and the person who answers for the account."""

    by: str  # owner, holder or staff
    person: str  # empty if nobody but its holder

    @property
    def words(self) -> str:
        """The words shown beside the name."""
        if self.by == OWNER:
            return _("agent of %(person)s") % {"person": self.person}
        return _("agent, says staff") if self.by == AgentLabel.Source.STAFF else _("agent")


class _Labels(NamedTuple):
    by_name: Mapping[str, Label]
    ids: frozenset[int]


class Snapshot:
    """All labels, read at most every few seconds; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._labels = _Labels({}, frozenset())
        self._read_at: float | None = None

    def forget(self, **_: Any) -> None:
        """Read again at the next question; also after the transaction, which may be rolled back."""
        self._read_at = None
        transaction.on_commit(self._expire)

    def _expire(self) -> None:
        self._read_at = None

    def find(self, username: str) -> Label | None:
        """Return the label of this account, or None."""
        return self._current().by_name.get(username.lower())

    def has(self, user_id: int) -> bool:
        """Return whether this account has a label."""
        return user_id in self._current().ids

    def _current(self) -> _Labels:
        read_at = self._read_at
        if read_at is None or time.monotonic() - read_at > FRESH_SECONDS:
            with self._lock:
                self._labels, self._read_at = _read(), time.monotonic()
        return self._labels

    def assume_none(self) -> None:
        """Assume that there are no labels until one is given in this process; for tests."""
        self._labels, self._read_at = _Labels({}, frozenset()), math.inf


def _read() -> _Labels:
    with connection.cursor() as cursor:
        cursor.execute(_READ)
        rows = cursor.fetchall()
    names = {name: Label(by, person) for _, name, by, person in rows}
    return _Labels(names, frozenset(user_id for user_id, *_ in rows))


snapshot = Snapshot()


def label_of(username: str) -> Label | None:
    """Return the label to show beside this name, a few seconds old at most; None for people."""
    return snapshot.find(username)


def is_labelled(user_id: int) -> bool:
    """Return whether the account of this id is labelled, as `label_of` does."""
    return snapshot.has(user_id)


def name_behind(username: str) -> str:
    """Return the name of the person who answers for this account: for people, their own."""
    label = snapshot.find(username)
    return (label.person if label else "") or username


def register() -> None:
    """Read labels again after each change of theirs in this process; called once."""
    for model in (Agent, AgentLabel):
        for signal in (post_save, post_delete):
            signal.connect(snapshot.forget, sender=model)
