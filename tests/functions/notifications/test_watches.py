"""Watching: who is told of what, once, however many watch and whatever is killed."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection, transaction
from django.db.models import Count
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from functions.acceptance import publish_acceptance_test, start_acceptance_test
from functions.authoring import delete_function, publish, run_draft
from functions.errors import Forbidden
from functions.models import Function, Notice, Notification
from functions.moderation.acceptability import judge_work
from functions.moderation.comments import reply_to, write_comment
from functions.notifications.delivery import MAX_COUNTED, mark_read
from functions.notifications.watches import DELIVER, notify_watchers, topic_of, watch_function
from functions.read_models.notifications import standing_of
from runner.events.topics import open_topic, poll_events
from runner.models import Event, FanOut, FollowUp, Incident
from runner.pipelines import fan_out
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.pipelines.outbox import append_event
from runner.registry import Step, handlers
from runner.workers.drainer import Drainer
from tests.support.batches import in_threads
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    draft_test,
    implement,
    publish_test,
    vote,
)

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 10_000
Kind = Notice.Kind


_WATCHERS = """
    with people as (
        insert into auth_user (username, password, first_name, last_name, email, is_superuser,
            is_staff, is_active, date_joined)
        select %s || n, '!', '', '', '', false, false, true, now()
        from generate_series(1, %s) n returning id
    )
    insert into functions_watch (function_id, user_id, watching, changed_at)
    select %s, id, true, now() from people
"""


def watchers(function: Function, count: int) -> None:
    """Have so many new users watch the function."""
    with connection.cursor() as cursor:
        cursor.execute(_WATCHERS, [f"watcher of {function} ", count, function.pk])


def tell(function: Function, **options: Any) -> Notice | None:
    """Tell of something that tests make up."""
    with transaction.atomic():
        return notify_watchers(function=function, kind=Kind.COMMENT, text="happened", **options)


def deliver() -> None:
    """Do everything that follows, also what failed and waits to be tried again."""
    while FollowUp.objects.exists():
        FollowUp.objects.update(due_at=timezone.now())
        run_due_follow_ups()


def told(name: str) -> list[tuple[str, str]]:
    """Return what somebody was told, the first first."""
    rows = Notification.objects.filter(user__username=name).order_by("pk")
    return list(rows.values_list("notice__kind", "notice__text"))


def queries_of(act: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as queries:
        act()
    return len(queries)


def crash_everywhere(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, int]]:
    """Break off many turns of walks, once at each of their lines; returns where they were."""
    crashed: set[tuple[str, int]] = set()

    def crash(place: str, walk: FanOut) -> None:
        is_chosen = walk.number % 7 < 4 or walk.finished_at is not None
        if is_chosen and (place, walk.number) not in crashed:
            crashed.add((place, walk.number))
            raise SystemError("killed here")

    write, end, step = fan_out._enqueue_page_job, fan_out._finish, handlers.steps[DELIVER]

    def write_and_crash(walk: FanOut) -> None:
        write(walk)
        crash("turn written", walk)

    def end_and_crash(walk: FanOut) -> None:
        end(walk)
        crash("ended", walk)

    def deliver_and_crash(users: Sequence[int], walk: FanOut) -> None:
        step.work(users, walk)
        crash("delivered", walk)

    monkeypatch.setattr(fan_out, "_enqueue_page_job", write_and_crash)
    monkeypatch.setattr(fan_out, "_finish", end_and_crash)
    monkeypatch.setitem(handlers.steps, DELIVER, Step(deliver_and_crash, None, None))
    return crashed


def test_thousands_of_watchers_cost_who_publishes_nothing_and_are_told_once_whatever_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    implement(define("Zero"), constant("Zero", 0))  # it opens topics that the others find
    one, many = define("One"), define("Many")
    watchers(one, 1)
    watchers(many, MANY)
    costs = {}
    for function in (one, many):
        draft = draft_implementation(function, constant(function.name, 1))
        costs[function.name, "publish"] = queries_of(
            lambda draft=draft: publish(actor=draft.author, draft=draft)  # type: ignore[misc]
        )
        costs[function.name, "tell"] = queries_of(
            lambda function=function: tell(function, actor=function.owner)  # type: ignore[misc]
        )
    assert costs["One", "publish"] == costs["Many", "publish"]
    assert costs["One", "tell"] == costs["Many", "tell"] <= 10
    present = User.objects.get(username=f"watcher of Many {MANY}")
    open_topic(topic_of(present.pk))
    FollowUp.objects.exclude(name=fan_out.PAGE_JOB).delete()
    crashed = crash_everywhere(monkeypatch)
    deliver()
    assert len({place for place, _ in crashed}) == 3
    assert len(crashed) > 20
    assert not Incident.objects.exists()
    counts = Notification.objects.values("notice__function__name").annotate(n=Count("pk"))
    # Beside the watchers: ida, who has published for both.
    assert set(counts.values_list("notice__function__name", "n")) == {
        ("One", 2),
        ("Many", MANY + 1),
    }
    assert Notification.objects.values("user", "notice").distinct().count() == MANY + 3
    (event,) = Event.objects.filter(topic__name=topic_of(present.pk))
    assert (event.type, event.payload) == ("notifications.changed", {"unread": 1})


def test_who_did_it_is_not_told_and_who_watches_twice_over_is_told_once() -> None:
    add, power = define("Add"), define("Power")
    for function, name in ((add, "tess"), (power, "tess"), (power, "nora")):
        watch_function(actor=account(name), function=function, watching=True)
    assert tell(add, actor=account("olga"), more_functions=[power], once="this")
    deliver()
    assert not tell(add, actor=account("olga"), more_functions=[power], once="this")
    deliver()
    assert [len(told(name)) for name in ("olga", "tess", "nora")] == [0, 1, 1]
    watch_function(actor=account("tess"), function=add, watching=False)
    assert not tell(add, actor=account("olga"))
    User.objects.filter(username="nora").update(is_active=False)
    tell(power)
    deliver()
    assert [len(told(name)) for name in ("olga", "tess", "nora")] == [1, 2, 1]


def test_publishing_and_defining_begin_to_watch_and_unwatching_is_remembered() -> None:
    two = define("Two")
    implement(two, constant("Two", 2))
    assert set(two.watches.values_list("user__username", "watching")) == {
        ("olga", True),
        ("ida", True),
    }
    watch_function(actor=account("ida"), function=two, watching=False)
    implement(two, constant("Two", 3))
    publish_test(two, "assert Two() == 2", author="ida")
    assert not two.watches.get(user__username="ida").watching
    with pytest.raises(Forbidden):
        watch_function(actor=AnonymousUser(), function=two, watching=True)


def test_who_begins_to_watch_is_not_told_of_what_was_before() -> None:
    two = define("Two")
    watchers(two, 1)
    tell(two)
    watch_function(actor=account("late"), function=two, watching=True)
    deliver()
    assert len(told("olga")) == 1
    assert told("late") == []


def test_what_happens_to_a_function_is_told_to_those_whom_it_concerns(worker: Drainer) -> None:
    two, four = define("Two"), define("Four", owner="fay")
    first = implement(two, constant("Two", 2))
    implement(four, "# <<Two>>\ndef Four():\n    return 2 * Two()\n", author="fred")
    worker.drain()
    assert told("olga") == [(Kind.CURRENT, "#1 became current: implementation #1 published")]
    assert told("ida") == []  # it was her doing
    assert [kind for kind, _ in told("fay")] == [Kind.CURRENT]
    Notification.objects.all().delete()
    # As a draft it has been run, so that what it comes to is known when it is published.
    test = draft_test(two, "assert Two() == 3")
    run_draft(actor=test.author, draft=test)
    worker.drain()
    publish(actor=test.author, draft=test)
    worker.drain()
    gone = "lost its current implementation: test T1 published"
    failing = "your implementation does not pass T1"
    broke = "depends on Two, which broke: Two changed"
    assert sorted(told("ida")) == [(Kind.CURRENT, gone), (Kind.FAILING, failing)]
    assert told("olga") == []  # it is her test
    assert told("fay") == told("fred") == [(Kind.BROKEN, broke)]
    assert Notice.objects.get(kind=Kind.FAILING).get_absolute_url() == "/functions/Two/#T1"
    publish_test(two, "assert Two() == 4")  # this one is run first when it is published
    worker.drain()
    assert [text for kind, text in told("ida") if kind == Kind.FAILING] == [
        failing,
        failing.replace("T1", "T2"),
    ]
    # An implementation that comes later is not told of older tests, and its author knows.
    implement(two, constant("Two", 7), author="ivo")
    worker.drain()
    assert told("ivo") == []
    assert first.author.username == "ida"


def test_a_failing_acceptance_test_is_told_once_to_who_watches_either(worker: Drainer) -> None:
    two, four = define("Two"), define("Four", owner="fay")
    implement(two, constant("Two", 2))
    implement(four, "# <<Two>>\ndef Four():\n    return 2 * Two()\n", author="fay")
    for function in (two, four):
        watch_function(actor=account("eve"), function=function, watching=True)
    wanted = start_acceptance_test(
        actor=four.owner, function=four, target="Two", code="assert Two() == 2"
    )
    publish_acceptance_test(actor=four.owner, test=wanted)
    worker.drain()
    assert not Notice.objects.filter(kind=Kind.ACCEPTANCE).exists()
    implement(two, constant("Two", 3))
    worker.drain()
    said = [(Kind.ACCEPTANCE, f"does not pass the acceptance test {wanted} of Four")]
    for name in ("olga", "fay", "eve", "ida"):
        assert [one for one in told(name) if one[0] == Kind.ACCEPTANCE] == said
    notice = Notice.objects.get(kind=Kind.ACCEPTANCE)
    assert notice.get_absolute_url() == wanted.get_absolute_url()


def test_comments_are_told_and_lead_to_where_they_stand(worker: Drainer) -> None:
    two = define("Two")
    work = implement(two, constant("Two", 2))
    comment = write_comment(actor=account("nora"), subject=work, text="Why?")
    reply_to(actor=account("olga"), comment=comment, text="Because.")
    write_comment(actor=account("olga"), subject=two, text="Hm.")
    worker.drain()
    said = ["has a new comment on #1", "has a new reply on #1", "has a new comment"]
    assert [text for kind, text in told("ida") if kind == Kind.COMMENT] == said
    assert [text for kind, text in told("olga") if kind == Kind.COMMENT] == said[:1]
    assert told("nora") == []
    assert Notice.objects.filter(kind=Kind.COMMENT)[0].get_absolute_url() == (
        comment.get_absolute_url()
    )


def test_votes_and_owners_change_what_is_current_and_are_told_to_others(worker: Drainer) -> None:
    two = define("Two")
    first = implement(two, constant("Two", 2))
    implement(two, f"{constant('Two', 2)}# another\n", author="ivo")
    worker.drain()
    Notification.objects.all().delete()
    vote(first, up="nora")
    worker.drain()
    voted = (Kind.CURRENT, "#1 became current: votes on implementation #1: +1, to 1")
    judged = (Kind.CURRENT, "#2 became current: implementation #1 marked unacceptable by olga")
    assert told("olga") == told("ivo") == [voted]
    judge_work(actor=account("olga"), work=first, acceptable=False, reason="No.")
    worker.drain()
    assert told("olga") == [voted]
    assert told("ida") == told("ivo") == [voted, judged]
    delete_function(actor=account("olga"), function=two)
    worker.drain()
    assert told("ivo") == [voted, judged]


def test_counts_are_exact_whoever_tells_and_reads_at_once() -> None:
    two = define("Two")
    olga = account("olga")
    for number in range(3):
        Notification.objects.all().delete()
        for name in "abc":
            tell(two, actor=account(f"{name}{number}"))
        in_threads(*[run_due_follow_ups] * 3)
        deliver()
        last = Event.objects.filter(topic__name=topic_of(olga.pk)).latest("seq")
        assert last.payload == {"unread": 3}
        pks = list(Notification.objects.order_by("pk").values_list("pk", flat=True))
        in_threads(*(lambda pk=pk: mark_read(actor=olga, ids=[pk]) for pk in pks))
        last = Event.objects.filter(topic__name=topic_of(olga.pk)).latest("seq")
        assert last.payload == {"unread": 0}
    assert standing_of(olga) == (topic_of(olga.pk), 1, last.seq, 0)


def test_nobody_is_told_of_more_than_pages_show() -> None:
    two, olga = define("Two"), account("olga")
    notices = Notice.objects.bulk_create(
        Notice(function=two, kind=Kind.COMMENT, text=str(number)) for number in range(200)
    )
    Notification.objects.bulk_create(Notification(notice=one, user=olga) for one in notices)
    tell(two)
    deliver()
    assert not Event.objects.filter(topic__name=topic_of(olga.pk)).exists()
    assert standing_of(olga).unread == MAX_COUNTED
    assert mark_read(actor=account("nora"), up_to=2**62) == 0
    assert standing_of(olga).unread == MAX_COUNTED
    assert mark_read(actor=olga, up_to=Notification.objects.latest("pk").pk) == 0


def test_the_stream_of_what_concerns_somebody_is_theirs_alone() -> None:
    olga, nora = account("olga"), account("nora")
    append_event(topic_of(olga.pk), "notifications.changed", {"unread": 1})
    assert len(poll_events(olga, topic_of(olga.pk), 0)["events"]) == 1
    for other in (nora, AnonymousUser()):
        with pytest.raises(PermissionError):
            poll_events(other, topic_of(olga.pk), 0)


def test_what_was_read_long_ago_is_removed_and_what_is_unread_stays_for_longer() -> None:
    two, olga = define("Two"), account("olga")
    watchers(two, 1)
    for _ in range(2):
        tell(two, actor=olga if not Notice.objects.exists() else None)
    deliver()
    long_ago = timezone.now() - timedelta(days=400)
    Notice.objects.update(created_at=long_ago)
    Notification.objects.filter(user__username__startswith="watcher").update(read_at=long_ago)
    remove = next(chore.run for chore in handlers.periodic_tasks if chore.name == "notifications")
    assert remove(0) == 0
    assert list(Notification.objects.values_list("user__username", flat=True)) == ["olga"]
    assert Notice.objects.count() == 1
    Notification.objects.update(created_at=long_ago)
    assert remove(0) == 0
    assert not Notification.objects.exists()
    assert not Notice.objects.exists()
