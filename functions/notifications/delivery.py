"""Delivers each notice to watchers once, publishes unread counts, removes old notifications."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from functions.models import Cell, Function, Notice, Notification, Test, Watch, Work
from functions.notifications.watches import notify_watchers, path_of, topic_of, write_notice
from functions.permissions import require_account
from runner.events.task_events import NewEvent, append_events
from runner.events.topics import topic_states
from runner.models import FanOut, FollowUp
from runner.pipelines.outbox import sequence_after_commit
from runner.registry import Actor, Page

# The largest number that pages show.
MAX_COUNTED = 100
EVENT = "notifications.changed"
_REMOVED_AT_ONCE = 5_000

# The user's row is locked while their unread notifications change, so counts are exact and the last
# event has the last count. Suspended users get no notifications.
_LOCK_USERS = """
    select id from auth_user where id = any(%s) and is_active order by id for no key update
"""
# The count doesn't see the rows that this statement inserts.
_DELIVER = """
    with delivered as (
        insert into functions_notification (notice_id, user_id)
        select %s, unnest(%s::bigint[]) on conflict do nothing returning user_id
    )
    select d.user_id, 1 + (select count(*) from (
        select from functions_notification n
        where n.user_id = d.user_id and n.read_at is null limit %s) as counted)
    from delivered d
"""
_COUNT = """
    select count(*) from (
        select from functions_notification n
        where n.user_id = %s and n.read_at is null limit %s) as counted
"""


def read_watchers(arguments: Mapping[str, Any], cursor: Any, at_most: int) -> Page:
    """Return the next users who watched these functions when the notice was written; a source.

    Users who are notified without watching come first.
    """
    notice = Notice.objects.filter(pk=arguments["notice"]).first()
    if notice is None:  # removed with its function
        return Page([], None)
    watches = Watch.objects.filter(function__in=arguments["functions"], watching=True)
    watches = watches.filter(user__gt=cursor or 0, changed_at__lte=notice.created_at)
    ids = watches.order_by("user").values_list("user", flat=True).distinct()[: at_most + 1]
    found = list(ids)
    also = arguments.get("also", ()) if cursor is None else ()
    chosen = dict.fromkeys([*also, *found[:at_most]])
    users = [user for user in chosen if user != arguments["actor"]]
    return Page(users, found[at_most - 1] if len(found) > at_most else None)


def deliver(users: Sequence[int], run: FanOut) -> None:
    """Deliver the run's notice to a page of watchers; a step."""
    deliver_notice(run.arguments["notice"], users)


def deliver_notice(notice_id: int, users: Collection[int]) -> None:
    """Deliver a notice to these users, unless they have it, and update their open pages."""
    held = hold_users(users)
    if not held:
        return
    with connection.cursor() as cursor:
        cursor.execute(_DELIVER, [notice_id, held, MAX_COUNTED])
        unread = dict(cursor.fetchall())
    publish_counts({user: count for user, count in unread.items() if count <= MAX_COUNTED})


def hold_users(users: Collection[int]) -> list[int]:
    """Lock these users' unread notifications; return the users who are not suspended."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_USERS, [sorted(users)])
        return [user for (user,) in cursor]


def count_unread(user_id: int) -> int:
    """Return the number of a user's unread notifications; counting stops at MAX_COUNTED."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [user_id, MAX_COUNTED])
        return int(cursor.fetchone()[0])


def publish_counts(unread: Mapping[int, int]) -> None:
    """Publish the unread counts of these users, whom the caller holds, to their open pages."""
    topics = {topic_of(user): count for user, count in unread.items()}
    states = topic_states(topics) if topics else {}
    append_events(
        [NewEvent(state.id, EVENT, {"unread": topics[name]}) for name, state in states.items()]
    )
    for state in states.values():
        sequence_after_commit(state.id)


def notify_failing(target: str, rows: Sequence[FollowUp]) -> None:
    """Notify users of tests that implementations fail; a follow-up handler.

    A challenge that the current implementation fails goes to the owner, that implementation's
    author and all watchers; other tests go to watching authors of older implementations.
    """
    function = Function.objects.select_related("elected").filter(pk=target, deleted_at=None).first()
    if function is None:
        return
    test_ids = {test for row in rows for test in row.arguments["tests"]}
    challenges = _failing_challenges(function, test_ids)
    for test in challenges:
        _notify_challenge(function, test)
    failing = _authors_of_failing(test_ids - {test.pk for test in challenges})
    watches = Watch.objects.filter(function=function, watching=True)
    authors = {author for each in failing.values() for author in each}
    watching = set(
        hold_users(list(watches.filter(user__in=authors).values_list("user", flat=True)))
    )
    tests = Test.objects.select_related("author", "function").defer("code").in_bulk(list(failing))
    for pk, test in sorted(tests.items()):
        if users := (failing[pk] & watching) - {test.author_id}:
            notice_fields: dict[str, object] = {
                "text": f"your implementation does not pass {test}",
                "path": path_of(function, test),
                "actor": test.author,
            }
            notice, _ = write_notice(
                function, Notice.Kind.FAILING, notice_fields, once=f"test:{pk}"
            )
            deliver_notice(notice.pk, users)


def _failing_challenges(function: Function, tests: Collection[int]) -> list[Test]:
    """Return the challenges, not rejected, that the current implementation fails."""
    cells = Cell.objects.filter(
        test__in=tests,
        implementation=function.elected_id or 0,
        key=F("result_key"),
        given_up=False,
        test__state=Work.State.PUBLISHED,
        test__standing_cause=Test.StandingCause.NONE,
        test__acceptable=None,
        test__score__gte=0,
    ).exclude(verdict__in=("", "passed"))
    found = Test.objects.select_related("author", "function").defer("code")
    return list(found.filter(pk__in=cells.values("test")).order_by("pk"))


def _notify_challenge(function: Function, test: Test) -> None:
    """Notify users of a challenge that the current implementation fails."""
    notify_watchers(
        function=function,
        kind=Notice.Kind.CHALLENGE,
        text=f"{function.elected} does not pass {test}, a challenge: it doesn't count yet",
        actor=test.author,
        subject=test,
        once=f"test:{test.pk}",
    )


def _authors_of_failing(tests: Collection[int]) -> dict[int, set[int]]:
    cells = Cell.objects.filter(
        test__in=tests,
        key=F("result_key"),
        given_up=False,
        test__state=Work.State.PUBLISHED,
        implementation__state=Work.State.PUBLISHED,
        implementation__published_at__lt=F("test__published_at"),
    ).exclude(verdict__in=("", "passed"))
    authors: dict[int, set[int]] = defaultdict(set)
    for test, author in cells.values_list("test", "implementation__author").distinct():
        authors[test].add(author)
    return authors


@transaction.atomic
def mark_read(*, actor: Actor, ids: Collection[int] = (), up_to: int | None = None) -> int:
    """Mark these notifications, or all up to an id, as read; return how many are unread.

    The count is at most MAX_COUNTED, and is published to the user's other pages.
    """
    user = require_account(actor)
    hold_users([user.pk])
    unread = Notification.objects.filter(user=user, read_at=None)
    chosen = unread.filter(pk__in=ids) if up_to is None else unread.filter(pk__lte=up_to)
    is_changed = chosen.update(read_at=Now()) > 0
    count = count_unread(user.pk)
    if is_changed:
        publish_counts({user.pk: count})
    return count


def remove_notifications(_cursor: int) -> int:
    """Remove old notifications, and notices without any; called by the sweeper.

    Returns 1 if there may be more, else 0.
    """
    read_before = Now() - timedelta(days=settings.KEEP_NOTIFICATIONS_DAYS)
    delivered_before = Now() - timedelta(days=settings.KEEP_UNREAD_NOTIFICATIONS_DAYS)
    oldest = Notification.objects.order_by("pk")[:_REMOVED_AT_ONCE].values("pk")
    old = (
        Notification.objects.filter(read_at__lt=read_before),
        # Ids grow with age, so the oldest rows suffice: the index on ids finds them.
        Notification.objects.filter(pk__in=oldest, created_at__lt=delivered_before),
        Notice.objects.filter(created_at__lt=read_before, notifications=None),
    )
    return int(any(_remove_some(rows) for rows in old))


def _remove_some(rows: QuerySet[Any]) -> bool:
    found = list(rows.values_list("pk", flat=True)[:_REMOVED_AT_ONCE])
    rows.model.objects.filter(pk__in=found).delete()
    return len(found) == _REMOVED_AT_ONCE
