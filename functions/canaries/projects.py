"""Registers projects with their locks, replaces locks, and removes projects."""

from collections.abc import Collection, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.canaries.locks import read_lock
from functions.canaries.releases import current_numbers, resolve_lock
from functions.errors import Conflict, Outdated, Refusal, no_such
from functions.models import Canary, LockedRelease, Release, Webhook
from functions.permissions import require_account, require_person
from functions.source.validation import check_text
from functions.webhooks.addresses import check_url
from functions.webhooks.commands import change_webhook
from functions.webhooks.signatures import new_secret
from runner.registry import Actor

MAX_OF_AN_ACCOUNT = 20
MAX_NAME_LENGTH = 80


@transaction.atomic
def register_canary(
    *, actor: Actor, name: str, form: str, lock: Any, url: str | None = None
) -> Canary:
    """Register a project with its lock; `form` is one of `functions.canaries.locks`.

    A webhook is made for the address. Raises a Refusal with all that is wrong with the lock.
    """
    owner = require_account(actor)
    name = _checked_name(name)
    host = _checked_host(owner, url)
    releases = resolve_lock(form, read_lock(form, lock))
    if Canary.objects.filter(owner=owner).count() >= MAX_OF_AN_ACCOUNT:
        message = _("You have registered %(limit)s projects, as many as one may; remove one first.")
        raise Conflict("too_many_canaries", message % {"limit": MAX_OF_AN_ACCOUNT})
    try:
        with transaction.atomic():
            canary = Canary.objects.create(owner=owner, name=name)
    except IntegrityError as error:
        raise _taken(name) from error
    _point_to(canary, url, host)
    canary.save(update_fields=["webhook"])
    _write(canary, releases)
    return canary


@transaction.atomic
def replace_canary(
    *,
    actor: Actor,
    canary: Canary,
    name: str,
    form: str,
    lock: Any,
    url: str | None = None,
    expected: Collection[str] | None = None,
) -> Canary:
    """Replace a project's name, lock and address; a webhook that it has keeps its secret.

    Refused if its version is not one of those `expected`.

    What the new lock differs in from now on is told anew.
    """
    owner = require_account(actor)
    name = _checked_name(name)
    host = _checked_host(owner, url)
    releases = resolve_lock(form, read_lock(form, lock))
    locked = _lock(owner, canary, expected)
    _point_to(locked, url, host)
    locked.name, locked.version, locked.locked_at = name, locked.version + 1, timezone.now()
    try:
        with transaction.atomic():
            locked.save(update_fields=["name", "webhook", "version", "locked_at"])
    except IntegrityError as error:
        raise _taken(name) from error
    locked.locked.all().delete()
    _write(locked, releases)
    return locked


@transaction.atomic
def delete_canary(*, actor: Actor, canary: Canary, expected: Collection[str] | None = None) -> None:
    """Remove a project with its webhook; it is told nothing any more."""
    locked = _lock(require_account(actor), canary, expected)
    webhook = locked.webhook
    locked.delete()
    if webhook is not None:
        webhook.delete()


def _checked_name(name: str) -> str:
    check_text(name, field="name")
    name = name.strip()
    if not 0 < len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        message = _(
            "A project's name is one line of at most %(limit)s characters, such as my-project."
        )
        raise Refusal("invalid_name", message % {"limit": MAX_NAME_LENGTH}, field="name")
    return name


def _point_to(canary: Canary, url: str | None, host: str) -> None:
    """Have the canary's webhook point to this address; without an address it has none."""
    former = canary.webhook
    if not url:
        canary.webhook = None
        if former is not None:
            former.delete()
    elif former is None:
        canary.webhook = Webhook.objects.create(
            owner=canary.owner,
            url=url,
            host=host,
            subject=Webhook.Subject.CANARY,
            secret=new_secret(),
        )
    elif former.url != url:
        change_webhook(actor=canary.owner, webhook_id=former.pk, url=url, active=True)


def _checked_host(owner: User, url: str | None) -> str:
    """Return the host of an address; empty for no address. Webhooks are people's, not agents'."""
    return check_url(url) if url and require_person(owner) else ""


def _taken(name: str) -> Conflict:
    message = _("You have registered %(name)s already; give it its new lock instead.")
    return Conflict("name_taken", message % {"name": name}, field="name")


def _lock(owner: User, canary: Canary, expected: Collection[str] | None) -> Canary:
    rows = Canary.objects.select_related("owner", "webhook").select_for_update(of=("self",))
    locked = rows.filter(pk=canary.pk, owner=owner).first()
    if locked is None:
        raise no_such("canary")
    if expected is not None and str(locked.version) not in expected:
        raise Outdated
    return locked


def _write(canary: Canary, releases: Sequence[Release]) -> None:
    """Write the lock. What is current now is shown by the answer, so it counts as told."""
    current = current_numbers(release.name_key for release in releases)
    LockedRelease.objects.bulk_create(
        LockedRelease(
            canary=canary,
            name_key=release.name_key,
            release=release,
            told_number=current.get(release.name_key, 0),
            told_yanked=release.yanked,
        )
        for release in releases
    )
