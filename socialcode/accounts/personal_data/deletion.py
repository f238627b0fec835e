"""Deletes an account: one transaction ends it, and a worker does what may have to wait.

The account's row stays, without personal data, under a name like *deleted user 3*: what refers to
it, such as published work and the audit log, needs neither to be moved nor changed, and elections
see the same owners and authors as before. Triggers keep it so: nothing is written any more in the
name of a deleted account, not even by requests that began before (migration `deleted_accounts`).
"""

from collections.abc import Sequence
from functools import partial

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.errors import Conflict
from functions.people.deleted_accounts import DELETED_USER, is_deleted_name
from functions.permissions import require_person
from runner.events.wakeups import recheck_user
from runner.pipelines.outbox import enqueue_follow_up
from runner.registry import Actor
from socialcode.accounts.models import DeletedAccount
from socialcode.accounts.names.rules import retire_usernames
from socialcode.accounts.personal_data.erasure import FINISH
from socialcode.accounts.personal_data.records import Fate, accounts_of, installed
from socialcode.accounts.security.log import Event, log_event


@transaction.atomic
def delete_account(*, actor: Actor, work: DeletedAccount.Work) -> None:
    """Delete the account of this person, and their agents'; their work stays or is withdrawn."""
    person = require_person(actor)
    if person.is_superuser:
        _require_other_superuser(person)
    for account in _lock_accounts(person):
        _end_account(account, work)


def _require_other_superuser(person: User) -> None:
    """Refuse to leave the site without a superuser; also of two who go at once, one stays."""
    active = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
    if not any(one.pk != person.pk for one in active.select_for_update()):
        message = _(
            "You are the only superuser of this site. Make somebody else one first, in the "
            "administration."
        )
        raise Conflict("last_superuser", message)


def _lock_accounts(person: User) -> Sequence[User]:
    """Lock the rows of this person and their agents, and return them.

    It waits for all transactions that write in their name, and these for it. Agents are made under
    the lock of their person.
    """
    rows = User.objects.select_for_update()
    locked = rows.get(pk=person.pk)
    if is_deleted_name(locked.get_username()):
        raise Conflict("deleted_already", _("This account is deleted already."))
    agents = [pk for pk in accounts_of(person) if pk != person.pk]
    return [locked, *rows.filter(pk__in=agents).order_by("pk")]


def _end_account(account: User, work: DeletedAccount.Work) -> None:
    for record in installed(Fate.ERASED):
        record.rows.filter(**{record.field: account.pk}).delete()
    deletion = DeletedAccount.objects.create(
        user=account, work=work, former_name=account.get_username()
    )
    retire_usernames(account)
    account.username = f"{DELETED_USER}{deletion.pk}"
    # Not saved, because signals of saving would log what is removed.
    User.objects.filter(pk=account.pk).update(
        username=account.username,
        first_name="",
        last_name="",
        email="",
        last_login=None,
        password=make_password(None),
        date_joined=timezone.now(),
        is_active=False,
        is_staff=False,
        is_superuser=False,
    )
    enqueue_follow_up(FINISH, str(deletion.pk))
    log_event(Event.ACCOUNT_DELETED, user=account, work=str(work))
    transaction.on_commit(partial(recheck_user, account.pk))
