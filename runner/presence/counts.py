"""PURE: who follows a topic on the connections of one process, and the frames that say so.

Members who leave are counted for a while longer, so that reloading a page, or reconnecting again
and again, changes nothing that others see.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from runner.sockets import frames

# Further users are only counted: no page shows more, and frames stay small.
MAX_NAMES = 20


class Members(NamedTuple):
    """Who follows a topic: users, each once, and the number of anonymous connections."""

    users: frozenset[int] = frozenset()
    others: int = 0

    def union(self, other: "Members") -> "Members":
        """Return the members of both."""
        return Members(self.users | other.users, self.others + other.others)


NOBODY = Members()


class TopicPresence:
    """The members of one topic in this process; `now` is any monotonic clock."""

    def __init__(self, grace_seconds: float) -> None:
        self._grace_seconds = grace_seconds
        self._connections: Counter[int] = Counter()  # by user
        self._others = 0
        self._expiring_users: dict[int, float] = {}  # the time until which each is counted
        self._expiring_others: list[float] = []  # likewise, ascending

    @property
    def has_expiring(self) -> bool:
        """Whether somebody who has left is still counted."""
        return bool(self._expiring_users or self._expiring_others)

    def join(self, user_id: int | None) -> None:
        """Count a connection; it replaces one that has just left."""
        if user_id is not None:
            self._connections[user_id] += 1
            self._expiring_users.pop(user_id, None)
        else:
            self._others += 1
            if self._expiring_others:
                self._expiring_others.pop(0)

    def leave(self, user_id: int | None, now: float) -> None:
        """Stop counting a connection after the grace period."""
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
        """Drop those whose grace period is over; return whether there were any."""
        gone = [user_id for user_id, until in self._expiring_users.items() if until <= now]
        for user_id in gone:
            del self._expiring_users[user_id]
        staying = [until for until in self._expiring_others if until > now]
        is_changed = bool(gone) or len(staying) < len(self._expiring_others)
        self._expiring_others = staying
        return is_changed

    def members(self) -> Members:
        """Return those who are counted."""
        users = self._connections.keys() | self._expiring_users.keys()
        return Members(frozenset(users), self._others + len(self._expiring_others))


def encode_members(members_by_topic: Mapping[str, Members]) -> str:
    """Return one process's members by topic as JSON; equal members give equal texts."""
    fields = {
        topic: [sorted(members.users), members.others]
        for topic, members in members_by_topic.items()
    }
    return frames.encode(dict(sorted(fields.items())))


def decode_members(text: str) -> dict[str, Members]:
    """Return what was passed to `encode_members`."""
    fields = json.loads(text)
    return {topic: Members(frozenset(users), others) for topic, (users, others) in fields.items()}


def changed_topics(before: Mapping[str, Members], after: Mapping[str, Members]) -> set[str]:
    """Return the topics whose members differ."""
    topics = before.keys() | after.keys()
    return {topic for topic in topics if before.get(topic, NOBODY) != after.get(topic, NOBODY)}


def presence_frame(topic: str, members: Members, names: Mapping[int, str | None]) -> str:
    """Return the frame that shows the members to all followers, without its last brace.

    Users without a name are not to be shown, and left out.
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
    """Return the frame that says that members are unknown, without its last brace."""
    return frames.encode({"type": "presence", "topic": topic, "people": None, "others": None})[:-1]


def complete_frame(start: str, you: str | None) -> str:
    """Complete a frame for one follower, who is shown under this name, or None: not by name."""
    return f'{start},"you":{json.dumps(you)}}}'
