"""Watching functions, and telling those who do what has happened.

`notify_watchers` is called in the transaction in which something happens. It writes one notice and
the first turn of a walk, however many are watching; workers deliver the notice page by page.
"""

from collections.abc import Collection, Mapping
from typing import Protocol

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from functions.errors import Conflict
from functions.locks import hold_function
from functions.models import Function, Implementation, Notice, Watch
from functions.permissions import require_account
from runner.events.topics import open_topic
from runner.pipelines.fan_out import fan_out
from runner.pipelines.outbox import follow_up
from runner.registry import Actor

WATCHERS = "functions.watchers"
DELIVER = "functions.deliver"
TELL_FAILING = "functions.tell_failing"
PAGE = 200


class Linked(Protocol):
    """Something that has a page, or a place in one."""

    def get_absolute_url(self) -> str: ...


@transaction.atomic
def watch_function(*, actor: Actor, function: Function, watching: bool) -> Watch:
    """Begin or cease to watch; who has ceased is not made to watch again by publishing."""
    user = require_account(actor)
    if hold_function(function.pk) is None:
        raise Conflict("function_deleted", f"{function.name} was deleted.")
    watch_by_default(user=user, function=function)
    watches = Watch.objects.filter(user=user, function=function)
    watches.exclude(watching=watching).update(watching=watching, changed_at=timezone.now())
    return watches.get()


def watch_by_default(*, user: User, function: Function) -> None:
    """Have somebody watch what they define or publish for, unless they have chosen not to."""
    Watch.objects.bulk_create([Watch(user=user, function=function)], ignore_conflicts=True)
    # Events are written for topics that are there: nobody else has a page open to be told on.
    open_topic(topic_of(user.pk))


def topic_of(user_id: int) -> str:
    """Name the stream of what concerns one user, followed by that user alone."""
    return f"user:{user_id}"


def notify_watchers(
    *,
    function: Function,
    kind: Notice.Kind,
    text: str,
    actor: User | None = None,
    subject: Linked | None = None,
    once: str | None = None,
    beside: Collection[Function] = (),
    owner: int | None = None,
) -> Notice | None:
    """Tell all who watch the function, except the actor; to be called inside a transaction.

    `text` is what stands behind the function's name in a list. `subject` is what it leads to, in
    place of the function. What has been told of a function with the same kind and `once` is not
    told again. Who watches functions `beside` it is told too; who watches several of them, once.
    Of a challenge the function's owner and the author of its current implementation are told
    whether they watch or not.
    They are told in the turns of the actor, or else of the `owner`.

    Returns None where nobody is to be told.
    """
    ids = sorted({function.pk, *(other.pk for other in beside)})
    watches = Watch.objects.filter(function__in=ids, watching=True)
    concerned = _concerned(function) if kind == Notice.Kind.CHALLENGE else set()
    others = sorted(concerned - {actor.pk if actor else 0})
    if not others and not (watches.exclude(user=actor) if actor else watches).exists():
        return None
    said = {"text": text[:300], "path": path_of(function, subject), "actor": actor}
    notice, is_new = write_notice(function, kind, said, once=once)
    if not is_new:
        return None
    arguments = {
        "notice": notice.pk,
        "functions": ids,
        "actor": actor.pk if actor else None,
        "also": others,
    }
    fan_out(
        f"notice:{notice.pk}",
        source=WATCHERS,
        step=DELIVER,
        arguments=arguments,
        page=PAGE,
        owner_id=actor.pk if actor else owner,
    )
    return notice


def _concerned(function: Function) -> set[int]:
    current = function.elected
    return {function.owner_id, *([current.author_id] if current else [])}


def write_notice(
    function: Function, kind: Notice.Kind, said: Mapping[str, object], *, once: str | None
) -> tuple[Notice, bool]:
    """Write down what happened, or find what was written of it before; true if it is new."""
    if once is None:
        return Notice.objects.create(function=function, kind=kind, **said), True
    return Notice.objects.get_or_create(function=function, kind=kind, once=once, defaults=said)


def path_of(function: Function, subject: Linked | None) -> str:
    """Return where a notice about this leads to, as the notice keeps it."""
    path = subject.get_absolute_url() if subject else ""
    return path.removeprefix(function.get_absolute_url())


def enqueue_failing_notices(
    function_id: int, test_ids: Collection[int], *, owner_id: int | None
) -> None:
    """Have authors told whose implementations don't pass these tests, as far as these are newer."""
    tests = {"tests": sorted(test_ids)}
    follow_up(TELL_FAILING, str(function_id), arguments=tests, owner_id=owner_id)


def notify_of_standing(
    function: Function,
    *,
    elected: Implementation | None,
    blocked_by: str,
    cause: str,
    actor: int | None,
    owner: int | None,
) -> None:
    """Tell watchers of another current implementation, or of what the function relies on and lacks.

    Called before this is written into the function's row.
    """
    if (elected.pk if elected else None) != function.elected_id:
        kind, subject = Notice.Kind.CURRENT, elected
        said = f"{elected} became current" if elected else "no implementation is current any more"
    elif blocked_by and not function.blocked_by:
        kind, subject = Notice.Kind.BROKEN, None
        said = f"relies on {blocked_by}, which broke"
    else:
        return
    user = User.objects.filter(pk=actor).first() if actor else None
    notify_watchers(
        function=function,
        kind=kind,
        text=f"{said}: {cause}",
        actor=user,
        subject=subject,
        owner=owner,
    )
