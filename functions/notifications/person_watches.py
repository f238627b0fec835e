"""Watches of people: their watchers are notified of what they define and publish."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from functions.errors import Refusal
from functions.models import Function, Implementation, Notice, PersonWatch, Test
from functions.notifications.watches import DELIVER, PAGE, path_of, topic_of, write_notice
from functions.permissions import require_account
from runner.events.topics import open_topic
from runner.pipelines.fan_out import fan_out
from runner.registry import Actor, Page

PERSON_WATCHERS = "functions.person_watchers"
MAX_PEOPLE_WATCHED = 200


@transaction.atomic
def watch_person(*, actor: Actor, person: User, watching: bool) -> None:
    """Start or stop watching a person."""
    user = require_account(actor)
    if user == person:
        raise Refusal("yourself", _("You can't watch yourself."), field="watching")
    watches = PersonWatch.objects.filter(user=user)
    if not watching:
        watches.filter(person=person).delete()
        return
    if watches.exclude(person=person).count() >= MAX_PEOPLE_WATCHED:
        message = _("You watch %(count)s people already; stop watching some.")
        message %= {"count": MAX_PEOPLE_WATCHED}
        raise Refusal("too_many_watches", message, field="watching")
    PersonWatch.objects.bulk_create([PersonWatch(user=user, person=person)], ignore_conflicts=True)
    # Events are only written to existing topics, and only this user follows this one.
    open_topic(topic_of(user.pk))


def notify_of_publication(
    person: User, function: Function, work: Implementation | Test | None = None
) -> None:
    """Notify this person's watchers of a definition, or of a published work, in its transaction."""
    if not PersonWatch.objects.filter(person=person).exists():
        return
    name = person.get_username()
    text = f"has a new {work.noun} by {name}" if work else f"was defined by {name}"
    fields = {"text": text, "path": path_of(function, work), "actor": person}
    notice = write_notice(function, Notice.Kind.PUBLISHED, fields, once=None)[0]
    fan_out(
        f"notice:{notice.pk}",
        source=PERSON_WATCHERS,
        step=DELIVER,
        arguments={"notice": notice.pk, "person": person.pk},
        page=PAGE,
        owner_id=person.pk,
    )


def read_person_watchers(arguments: Mapping[str, Any], cursor: Any, at_most: int) -> Page:
    """Return the next users who watched this person when the notice was written; a source."""
    notice = Notice.objects.filter(pk=arguments["notice"]).first()
    if notice is None:  # removed with its function
        return Page([], None)
    watches = PersonWatch.objects.filter(person=arguments["person"], user__gt=cursor or 0)
    watches = watches.filter(created_at__lte=notice.created_at).order_by("user")
    found = list(watches.values_list("user", flat=True)[: at_most + 1])
    return Page(found[:at_most], found[at_most - 1] if len(found) > at_most else None)
