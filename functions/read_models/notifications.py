"""Read models of notifications and watches."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Count, Q

from functions.models import Function, Notification, PersonWatch, Watch
from functions.notifications.delivery import MAX_COUNTED
from functions.notifications.watches import topic_of
from functions.read_models.cursors import decode_place, encode_cursor
from functions.read_models.snapshot import snapshot
from runner.events.topics import HISTORY
from runner.registry import Actor

# One statement, so that count and position of the topic are consistent.
_STANDING = """
    select
        coalesce(t.epoch, (select epoch from runner_topic where name = %s), 1),
        coalesce(t.head_seq, 0), (select count(*) from (
        select from functions_notification n
        where n.user_id = %s and n.read_at is null limit %s) as counted)
    from (select) one left join runner_topic t on t.name = %s
"""


class Standing(NamedTuple):
    """The number of unread notifications, at most MAX_COUNTED, as of an event."""

    topic: str
    epoch: int
    seq: int
    unread: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationRow:
    """A notification."""

    id: int
    kind: str
    function: str
    text: str
    url: str
    actor: str
    at: datetime
    is_read: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationPage:
    """A page of notifications, newest first; `next` is the next page's cursor."""

    rows: tuple[NotificationRow, ...]
    next: str
    standing: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchPage:
    """A page of watched functions, latest first."""

    rows: tuple[Watch, ...]
    next: str


class Watching(NamedTuple):
    """The number of watchers, and whether this reader is one."""

    watchers: int
    mine: bool


def standing_of(user: User) -> Standing:
    """Return a user's unread count, in one query."""
    topic = topic_of(user.pk)
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, [HISTORY, user.pk, MAX_COUNTED, topic])
        return Standing(topic, *cursor.fetchone())


def notification_page(
    user: User, *, unread_only: bool = False, cursor: str = "", limit: int = 50
) -> NotificationPage:
    """Return a page of this user's notifications. Raises BadCursor."""
    found = Notification.objects.filter(user=user).order_by("-pk")
    if unread_only:
        found = found.filter(read_at=None)
    if cursor:
        found = found.filter(pk__lt=decode_place(cursor, 1)[0])
    with snapshot():
        standing = standing_of(user)
        rows = list(found.select_related("notice__function", "notice__actor")[: limit + 1])
    more = encode_cursor(rows[limit - 1].pk) if len(rows) > limit else ""
    return NotificationPage(rows=notification_rows(rows[:limit]), next=more, standing=standing)


def notification_rows(notifications: Sequence[Notification]) -> tuple[NotificationRow, ...]:
    """Return the rows of notifications, which are loaded with notice, function and actor."""
    return tuple(
        NotificationRow(
            id=one.pk,
            kind=one.notice.kind,
            function=one.notice.function.name,
            text=one.notice.text,
            url=one.notice.get_absolute_url(),
            actor=one.notice.actor.get_username() if one.notice.actor else "",
            at=one.notice.created_at,
            is_read=one.read_at is not None,
        )
        for one in notifications
    )


def watched_page(user: User, *, cursor: str = "", limit: int = 50) -> WatchPage:
    """Return the functions that this user watches. Raises BadCursor."""
    watches = Watch.objects.filter(user=user, watching=True, function__deleted_at=None)
    if cursor:
        watches = watches.filter(pk__lt=decode_place(cursor, 1)[0])
    rows = list(watches.select_related("function__owner").order_by("-pk")[: limit + 1])
    more = encode_cursor(rows[limit - 1].pk) if len(rows) > limit else ""
    return WatchPage(rows=tuple(rows[:limit]), next=more)


def watching_of(function: Function, actor: Actor) -> Watching:
    """Return the number of watchers and whether the actor is one, in one query."""
    watches = Watch.objects.filter(function=function, watching=True)
    mine = Count("pk", filter=Q(user=actor.pk))
    counted = watches.aggregate(count=Count("pk"), mine=mine)
    return Watching(counted["count"], bool(counted["mine"]))


def watching_of_person(person: User, actor: Actor) -> Watching:
    """Return the number of a person's watchers and whether the actor is one, in one query."""
    watches = PersonWatch.objects.filter(person=person)
    counted = watches.aggregate(count=Count("pk"), mine=Count("pk", filter=Q(user=actor.pk)))
    return Watching(counted["count"], bool(counted["mine"]))


def people_watched(user: User) -> list[User]:
    """Return all people that this user watches, the last watched first; their number is limited."""
    watches = PersonWatch.objects.filter(user=user).select_related("person").order_by("-pk")
    return [watch.person for watch in watches]
