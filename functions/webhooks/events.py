"""Events that webhooks are sent: announced in the transaction in which they happen."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from functions.models import Comment, Election, Function, Implementation, Test
from runner.pipelines.follow_up_queue import NewFollowUp
from runner.pipelines.outbox import enqueue_follow_ups

FAN_OUT = "functions.webhooks"


class EventName(StrEnum):
    """The events that a webhook may want, as their names are sent."""

    ELECTED = "election.changed"
    BROKEN = "function.broken"
    MENDED = "function.mended"
    DEFINED = "function.defined"
    IMPLEMENTATION = "implementation.published"
    TEST = "test.published"
    COMMENT = "comment.added"


PING = "ping"
DESCRIPTIONS = {
    EventName.ELECTED: _("another implementation became current, or none is any more"),
    EventName.BROKEN: _("a function can't be called any more"),
    EventName.MENDED: _("a function that was broken can be called again"),
    EventName.DEFINED: _("a person defined a function"),
    EventName.IMPLEMENTATION: _("an implementation was published"),
    EventName.TEST: _("a test was published"),
    EventName.COMMENT: _("a comment was written"),
}
_WORKS = {
    Implementation.noun: EventName.IMPLEMENTATION,
    Test.noun: EventName.TEST,
}

# Those of the events that any webhook may want; which of them, the follow-up finds out.
_WANTED = """
    select distinct e.number
    from unnest(%s::int[], %s::bigint[], %s::bigint[]) as e (number, function, person)
    where exists (select from functions_webhook w where w.active and w.function_id = e.function)
        or exists (select from functions_webhook w where w.active and w.person_id = e.person)
        or exists (select from functions_webhook w where w.active and w.subject = 'dependencies')
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a function.

    `key` names it for ever. It is also sent to webhooks of `person`. `noun` and `row` are what it
    is read from when it is fanned out: only what everybody may see by then.
    """

    name: str
    key: str
    function: int
    person: int | None = None
    actor: int | None = None
    noun: str = ""
    row: int = 0
    cause: str = ""
    blocked_by: str = ""
    at: str = ""


def announce(events: Sequence[Event], *, owner: int | None = None) -> None:
    """Announce these events, in the transaction in which they happen.

    One query, unless a webhook may want them. The follow-ups are queued as `owner`'s.
    """
    if not events:
        return
    people = [event.person for event in events]
    with connection.cursor() as cursor:
        functions = [event.function for event in events]
        cursor.execute(_WANTED, [list(range(len(events))), functions, people])
        wanted = sorted(number for (number,) in cursor)
    now = instant_text(timezone.now())
    enqueue_follow_ups(
        [
            NewFollowUp(
                name=FAN_OUT,
                target=event.key,
                arguments={"event": {"at": now} | _given(event)},
                owner_id=owner,
            )
            for event in (events[number] for number in wanted)
        ]
    )


def publication(
    actor: User, function: Function, work: Implementation | Test | None = None
) -> Event:
    """Return the event of a definition, or of a published work."""
    if work is None:
        name, row, person = EventName.DEFINED, function.pk, function.owner_id
    else:
        name, row, person = _WORKS[work.noun], work.pk, work.author_id
    noun = work.noun if work else "function"
    return Event(
        name=name,
        key=f"{noun}/{row}",
        function=function.pk,
        person=person,
        actor=actor.pk,
        noun=noun,
        row=row,
    )


def comment_added(comment: Comment) -> Event:
    """Return the event of a new comment."""
    return Event(
        name=EventName.COMMENT,
        key=f"comment/{comment.pk}",
        function=comment.function_id,
        person=comment.author_id,
        actor=comment.author_id,
        noun="comment",
        row=comment.pk,
    )


def election_changed(election: Election, actor: int | None) -> Event:
    """Return the event of another current implementation."""
    return Event(
        name=EventName.ELECTED,
        key=f"election/{election.pk}",
        function=election.function_id,
        person=election.elected.author_id if election.elected else None,
        actor=actor,
        noun="election",
        row=election.pk,
        at=instant_text(election.created_at),
    )


def status_changed(
    function: Function, *, status: str, blocked_by: str, cause: str, actor: int | None
) -> Event | None:
    """Return the event of a function that breaks or is mended by this status; None if it stays."""
    implemented = Function.Status.IMPLEMENTED
    if (status == implemented) == (function.status == implemented):
        return None
    is_mended = status == implemented
    name = EventName.MENDED if is_mended else EventName.BROKEN
    return Event(
        name=name,
        # Nothing is stored that would number it.
        key=f"{name.rpartition('.')[2]}/{function.pk}/{uuid4().hex}",
        function=function.pk,
        actor=actor,
        cause=cause,
        blocked_by="" if is_mended else blocked_by,
        # Before the election that goes with it, if any, is recorded.
        at=instant_text(timezone.now()),
    )


def _given(event: Event) -> dict[str, object]:
    return {name: value for name, value in asdict(event).items() if value}


def instant_text(instant: datetime) -> str:
    """Return an instant as payloads have it."""
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")
