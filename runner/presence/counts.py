"""PURE: who follows one topic on the connections of one process, and what all processes say of it.

Who leaves is believed to have gone only after a while: a page that is loaded anew, and a client
that comes and goes all the time, change nothing that others see.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from runner.sockets import frames

# More names than this are counted: no page shows them, and frames stay small.
MAX_NAMES = 20


class Members(NamedTuple):
    """Who follows a topic: users, each once, and how many connections that nobody signed in on."""

    users: frozenset[int] = frozenset()
    others: int = 0

    def union(self, other: "Members") -> "Members":
        """Return who follows it in the one or in the other."""
        return Members(self.users | other.users, self.others + other.others)


NOBODY = Members()


class TopicPresence:
    """Who follows one topic in this process; `now` is any clock that never goes back."""

    def __init__(self, grace_seconds: float) -> None:
        self._grace_seconds = grace_seconds
        self._connections: Counter[int] = Counter()  # of each user
        self._others = 0
        self._expiring_users: dict[int, float] = {}  # until when each is still counted
        self._expiring_others: list[float] = []  # likewise, the next to go first

    @property
    def has_expiring(self) -> bool:
        """Whether somebody who has left is still counted."""
        return bool(self._expiring_users or self._expiring_others)

    def join(self, user_id: int | None) -> None:
        """Count one more connection; one that has just been left is taken to be back."""
        if user_id is not None:
            self._connections[user_id] += 1
            self._expiring_users.pop(user_id, None)
        else:
            self._others += 1
            if self._expiring_others:
                self._expiring_others.pop(0)

    def leave(self, user_id: int | None, now: float) -> None:
        """Count one connection less, in a while."""
        until = now + self._grace_seconds
        if user_id is None:
            self._others -= 1
            self._expiring_others.append(until)
            return
        self._connections[user_id] -= 1
        if not self._connections[user_id]:
            del self._connections[user_id]
            self._expiring_users[user_id] = until

    def expire(self, now: float) -> bool:
        """Count no more who left long enough ago; says whether that was anybody."""
        gone = [user_id for user_id, until in self._expiring_users.items() if until <= now]
        for user_id in gone:
            del self._expiring_users[user_id]
        staying = [until for until in self._expiring_others if until > now]
        is_changed = bool(gone) or len(staying) < len(self._expiring_others)
        self._expiring_others = staying
        return is_changed

    def members(self) -> Members:
        """Return who is to be counted."""
        users = self._connections.keys() | self._expiring_users.keys()
        return Members(frozenset(users), self._others + len(self._expiring_others))


def encode_members(members_by_topic: Mapping[str, Members]) -> str:
    """Return the shares of one process, by topic, as others read them; equal ones are equal."""
    fields = {
        topic: [sorted(members.users), members.others]
        for topic, members in members_by_topic.items()
    }
    return frames.encode(dict(sorted(fields.items())))


def decode_members(text: str) -> dict[str, Members]:
    """Return what `encode_shares` was given."""
    fields = json.loads(text)
    return {topic: Members(frozenset(users), others) for topic, (users, others) in fields.items()}


def changed_topics(before: Mapping[str, Members], after: Mapping[str, Members]) -> set[str]:
    """Return the topics of which the two say different things."""
    topics = before.keys() | after.keys()
    return {topic for topic in topics if before.get(topic, NOBODY) != after.get(topic, NOBODY)}


def presence_frame(topic: str, members: Members, names: Mapping[int, str | None]) -> str:
    """Return the frame that tells all followers of a topic who they are, less its last brace.

    Users without a name are not for others to see: they are left out.
    """
    visible = sorted(name for user_id in members.users if (name := names.get(user_id)) is not None)
    return frames.encode(
        {
            "type": "presence",
            "topic": topic,
            "people": visible[:MAX_NAMES],
            "others": members.others + max(0, len(visible) - MAX_NAMES),
        }
    )[:-1]


def unknown_frame(topic: str) -> str:
    """Return the frame that says that nobody knows, less its last brace."""
    return frames.encode({"type": "presence", "topic": topic, "people": None, "others": None})[:-1]


def complete_frame(start: str, you: str | None) -> str:
    """Complete a picture for one who is in it, by this name or as one of the others."""
    return f'{start},"you":{json.dumps(you)}}}'
