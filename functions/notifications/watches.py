"""Use cases of watches, and notices to watchers.

`notify_watchers` is called in the transaction of an event. It writes one notice and starts a
fan-out run, whatever the number of watchers; workers deliver the notice page by page.
"""

from collections.abc import Collection, Mapping
from typing import Protocol

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.errors import Refusal, refuse_all
from functions.graph.queries import living_functions
from functions.locks import hold_function, hold_names
from functions.models import Function, Implementation, NameWatch, Notice, Watch
from functions.names import name_key
from functions.permissions import require_account
from functions.source.name_check import check_name
from runner.events.topics import open_topic, open_topics
from runner.pipelines.fan_out import fan_out
from runner.pipelines.outbox import enqueue_follow_up
from runner.registry import Actor
from runner.sandbox import IMPORTABLE

WATCHERS = "functions.watchers"
DELIVER = "functions.deliver"
NOTIFY_FAILING = "functions.tell_failing"
PAGE = 200
MAX_NAMES_WATCHED = 200


class Linked(Protocol):
    """An object with a page."""

    def get_absolute_url(self) -> str: ...


@transaction.atomic
def watch_function(*, actor: Actor, function: Function, watching: bool) -> Watch:
    """Start or stop watching; a user who stopped isn't subscribed again by publishing."""
    user = require_account(actor)
    hold_function(function.pk)
    watch_by_default(user=user, function=function)
    watches = Watch.objects.filter(user=user, function=function)
    watches.exclude(watching=watching).update(watching=watching, changed_at=timezone.now())
    return watches.get()


def watch_by_default(*, user: User, function: Function) -> None:
    """Let a user watch a function, unless they have stopped watching it before."""
    Watch.objects.bulk_create([Watch(user=user, function=function)], ignore_conflicts=True)
    # Events are only written to existing topics, and only this user follows this one.
    open_topic(topic_of(user.pk))


@transaction.atomic
def watch_name(*, actor: Actor, name: str, watching: bool) -> None:
    """Start or stop watching a name without a function; its definition notifies the user."""
    user = require_account(actor)
    refuse_all(list(filter(None, [check_name(name, importable=IMPORTABLE)])))
    # Otherwise a function that is defined meanwhile would not find this watch.
    hold_names([name])
    if function := living_functions([name_key(name)]).get(name_key(name)):
        watch_function(actor=actor, function=function, watching=watching)
    elif watching:
        if NameWatch.objects.filter(user=user).count() >= MAX_NAMES_WATCHED:
            message = _("You watch %(count)s names already; stop watching some.")
            message %= {"count": MAX_NAMES_WATCHED}
            raise Refusal("too_many_watches", message, field="name")
        watched = NameWatch(user=user, name=name, name_key=name_key(name))
        NameWatch.objects.bulk_create([watched], ignore_conflicts=True)
    else:
        NameWatch.objects.filter(user=user, name_key=name_key(name)).delete()


def adopt_name_watches(function: Function, *, actor: User) -> None:
    """Let those who watched a new function's name watch it, and notify them."""
    waiting = NameWatch.objects.filter(name_key=function.name_key)
    users = list(waiting.values_list("user", flat=True))
    if not users:
        return
    Watch.objects.bulk_create(
        [Watch(function=function, user_id=user) for user in users], ignore_conflicts=True
    )
    open_topics({topic_of(user) for user in users})
    waiting.delete()
    text = f"was defined by {actor.get_username()}; you watched this name"
    notify_watchers(function=function, kind=Notice.Kind.DEFINED, text=text, actor=actor)


def topic_of(user_id: int) -> str:
    """Return the name of a user's own topic, which only that user may follow."""
    return f"user:{user_id}"


def notify_watchers(
    *,
    function: Function,
    kind: Notice.Kind,
    text: str,
    actor: User | None = None,
    subject: Linked | None = None,
    once: str | None = None,
    more_functions: Collection[Function] = (),
    owner: int | None = None,
) -> Notice | None:
    """Notify all watchers of the function except the actor; called within a transaction.

    `text` follows the function's name in lists. The notice links to `subject`, else to the
    function. Notices with the same function, kind and `once` are only sent once. Watchers of
    `more_functions` are notified too, each user once. The function's owner and the author of its
    current implementation are notified of a challenge even if they don't watch. The delivery is
    queued as the actor's, else as `owner`'s.

    Returns None if there is nobody to notify, or if the notice was sent before.
    """
    ids = sorted({function.pk, *(other.pk for other in more_functions)})
    watches = Watch.objects.filter(function__in=ids, watching=True)
    involved = _involved_users(function) if kind == Notice.Kind.CHALLENGE else set()
    others = sorted(involved - {actor.pk if actor else 0})
    if not others and not (watches.exclude(user=actor) if actor else watches).exists():
        return None
    fields = {"text": text[:300], "path": path_of(function, subject), "actor": actor}
    notice, is_new = write_notice(function, kind, fields, once=once)
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


def _involved_users(function: Function) -> set[int]:
    current = function.elected
    return {function.owner_id, *([current.author_id] if current else [])}


def write_notice(
    function: Function, kind: Notice.Kind, fields: Mapping[str, object], *, once: str | None
) -> tuple[Notice, bool]:
    """Create a notice, or find the former one with the same `once`; True if it is new."""
    if once is None:
        return Notice.objects.create(function=function, kind=kind, **fields), True
    return Notice.objects.get_or_create(function=function, kind=kind, once=once, defaults=fields)


def path_of(function: Function, subject: Linked | None) -> str:
    """Return a notice's target, relative to its function's page."""
    path = subject.get_absolute_url() if subject else ""
    return path.removeprefix(function.get_absolute_url())


def enqueue_failing_notices(
    function_id: int, test_ids: Collection[int], *, owner_id: int | None
) -> None:
    """Enqueue notices to authors of older implementations that fail these tests."""
    tests = {"tests": sorted(test_ids)}
    enqueue_follow_up(NOTIFY_FAILING, str(function_id), arguments=tests, owner_id=owner_id)


def notify_of_standing(
    function: Function,
    *,
    elected: Implementation | None,
    blocked_by: str,
    cause: str,
    actor: int | None,
    owner: int | None,
) -> None:
    """Notify watchers of another current implementation, or of a broken dependency.

    Called before the change is written to the function's row.
    """
    if (elected.pk if elected else None) != function.elected_id:
        kind, subject = Notice.Kind.CURRENT, elected
        fields = f"{elected} became current" if elected else "lost its current implementation"
    elif blocked_by and not function.blocked_by:
        kind, subject = Notice.Kind.BROKEN, None
        fields = f"depends on {blocked_by}, which broke"
    else:
        return
    user = User.objects.filter(pk=actor).first() if actor else None
    notify_watchers(
        function=function,
        kind=kind,
        text=f"{fields}: {cause}",
        actor=user,
        subject=subject,
        owner=owner,
    )
