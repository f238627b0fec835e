"""Delivers notices: each to each watcher once, with the count of unread ones for open pages."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from functions.models import Cell, Function, Notice, Notification, Test, Watch, Work
from functions.notifications.watches import notify_watchers, path_of, topic_of, write_notice
from functions.permissions import require_account
from runner.events.task_events import NewEvent, append_events
from runner.events.topics import topic_states
from runner.models import FanOut, FollowUp
from runner.pipelines.outbox import join_after_commit
from runner.registry import Actor, Page

# No page shows more than that there are so many, so nobody counts further.
MOST_COUNTED = 100
EVENT = "notifications.changed"

# Whoever changes what somebody has unread holds that user, so that counts are exact and the event
# that comes last has the last of them. Users who may not sign in are told nothing.
_HOLD = """
    select id from auth_user where id = any(%s) and is_active order by id for no key update
"""
# The rows that are being written are not seen by the count yet.
_DELIVER = """
    with told as (
        insert into functions_notification (notice_id, user_id)
        select %s, unnest(%s::bigint[]) on conflict do nothing returning user_id
    )
    select t.user_id, 1 + (select count(*) from (
        select from functions_notification n
        where n.user_id = t.user_id and n.read_at is null limit %s) as counted)
    from told t
"""
_COUNT = """
    select count(*) from (
        select from functions_notification n
        where n.user_id = %s and n.read_at is null limit %s) as counted
"""


def read_watchers(arguments: Mapping[str, Any], cursor: Any, at_most: int) -> Page:
    """Return the next of those who watch these functions, and did when it happened; a source.

    Those who are told also without watching come first.
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


def deliver(users: Sequence[int], walk: FanOut) -> None:
    """Give a page of watchers the walk's notice; a step."""
    give(walk.arguments["notice"], users)


def give(notice_id: int, users: Collection[int]) -> None:
    """Give these users a notice, as far as they don't have it, and tell their open pages."""
    held = hold_users(users)
    if not held:
        return
    with connection.cursor() as cursor:
        cursor.execute(_DELIVER, [notice_id, held, MOST_COUNTED])
        unread = dict(cursor.fetchall())
    tell_counts({user: count for user, count in unread.items() if count <= MOST_COUNTED})


def hold_users(users: Collection[int]) -> list[int]:
    """Let nobody else change what these users have unread; returns those who may sign in."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [sorted(users)])
        return [user for (user,) in cursor]


def count_unread(user_id: int) -> int:
    """Return how many notifications somebody has not read, at most MOST_COUNTED."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [user_id, MOST_COUNTED])
        return int(cursor.fetchone()[0])


def tell_counts(unread: Mapping[int, int]) -> None:
    """Tell open pages of these users, whom the caller holds, how many they have unread."""
    topics = {topic_of(user): count for user, count in unread.items()}
    states = topic_states(topics) if topics else {}
    append_events(
        [NewEvent(state.id, EVENT, {"unread": topics[name]}) for name, state in states.items()]
    )
    for state in states.values():
        join_after_commit(state.id)


def tell_failing(target: str, rows: Sequence[FollowUp]) -> None:
    """Tell of tests that implementations don't pass.

    Of a challenge to the current one the owner, that one's author and all watchers are told; of
    other tests watching authors whose implementations are older.
    """
    function = Function.objects.select_related("elected").filter(pk=target, deleted_at=None).first()
    if function is None:
        return
    asked = {test for row in rows for test in row.arguments["tests"]}
    challenges = _failing_challenges(function, asked)
    for test in challenges:
        _tell_challenge(function, test)
    failing = _authors_of_failing(asked - {test.pk for test in challenges})
    watches = Watch.objects.filter(function=function, watching=True)
    authors = {author for each in failing.values() for author in each}
    told = set(hold_users(list(watches.filter(user__in=authors).values_list("user", flat=True))))
    tests = Test.objects.select_related("author", "function").defer("code").in_bulk(list(failing))
    for pk, test in sorted(tests.items()):
        if users := (failing[pk] & told) - {test.author_id}:
            said: dict[str, object] = {
                "text": f"an implementation of yours does not pass {test}",
                "path": path_of(function, test),
                "actor": test.author,
            }
            notice, _ = write_notice(function, Notice.Kind.FAILING, said, once=f"test:{pk}")
            give(notice.pk, users)


def _failing_challenges(function: Function, tests: Collection[int]) -> list[Test]:
    """Return those of these that are challenges, not rejected, which the current one fails."""
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


def _tell_challenge(function: Function, test: Test) -> None:
    """Tell whom it concerns that the current implementation does not pass a stranger's test."""
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
    """Mark these of one's notifications read, or all up to this one; returns how many are unread.

    That is at most MOST_COUNTED. Other pages of the same user are told.
    """
    user = require_account(actor)
    hold_users([user.pk])
    unread = Notification.objects.filter(user=user, read_at=None)
    chosen = unread.filter(pk__in=ids) if up_to is None else unread.filter(pk__lte=up_to)
    is_changed = chosen.update(read_at=Now()) > 0
    count = count_unread(user.pk)
    if is_changed:
        tell_counts({user.pk: count})
    return count
