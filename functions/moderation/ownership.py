"""Ownership of functions: transferred by an accepted offer, or at once by staff."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from functions.audit import record_act
from functions.contests.evaluation import enqueue_reconcile
from functions.errors import Conflict, Forbidden, Refusal
from functions.graph.queries import named_by
from functions.locks import lock_function
from functions.models import AuditEntry, Function
from functions.notifications.watches import watch_by_default
from functions.permissions import (
    is_person,
    may_answer_offer,
    may_moderate,
    require_moderator,
    require_person,
    require_staff,
)
from functions.source.validation import check_text
from runner.registry import Actor


@transaction.atomic
def offer_function(*, actor: Actor, function: Function, to: str) -> Function:
    """Offer the function to the user of this name, replacing any former offer."""
    locked = lock_function(function.pk)
    offerer = require_moderator(actor, locked)
    receiver = _find_receiver(to)
    _refuse_its_owner(locked, receiver)
    if locked.offered_to_id != receiver.pk:
        locked.offered_to = receiver
        locked.save(update_fields=["offered_to"])
        record_act(offerer, AuditEntry.Act.OFFERED, function=locked, person=receiver)
    return locked


@transaction.atomic
def end_offer(*, actor: Actor, function: Function) -> Function:
    """Withdraw an offer, as the owner or staff, or decline it, as its recipient."""
    user = require_person(actor)
    locked = lock_function(function.pk)
    receiver = locked.offered_to
    if not (may_moderate(user, locked) or may_answer_offer(user, locked)):
        raise Forbidden(
            "not_yours", _("Only the owner, the recipient of the offer, and staff may do this.")
        )
    if receiver is None:
        raise _no_offer(locked)
    locked.offered_to = None
    locked.save(update_fields=["offered_to"])
    if receiver.pk == user.pk:
        record_act(user, AuditEntry.Act.OFFER_DECLINED, function=locked, person=locked.owner)
    else:
        record_act(user, AuditEntry.Act.OFFER_ENDED, function=locked, person=receiver)
    return locked


@transaction.atomic
def accept_function(*, actor: Actor, function: Function) -> Function:
    """Accept an offer and become the owner."""
    receiver = require_person(actor)
    locked = lock_function(function.pk)
    if not may_answer_offer(receiver, locked):
        raise _no_offer(locked)
    former = locked.owner
    _hand_over(locked, receiver)
    record_act(receiver, AuditEntry.Act.OFFER_ACCEPTED, function=locked, person=former)
    return locked


@transaction.atomic
def transfer_function(*, actor: Actor, function: Function, to: str) -> Function:
    """Transfer the function to the user of this name at once, as staff."""
    staff = require_staff(actor)
    receiver = _find_receiver(to)
    locked = lock_function(function.pk)
    _refuse_its_owner(locked, receiver)
    _hand_over(locked, receiver)
    record_act(staff, AuditEntry.Act.TRANSFERRED, function=locked, person=receiver)
    return locked


def _hand_over(function: Function, receiver: User) -> None:
    """Change the owner and enqueue elections, as standing and ties depend on it."""
    function.owner, function.offered_to = receiver, None
    function.save(update_fields=["owner", "offered_to"])
    affected = [function.pk, *named_by(function.elected_id)]
    enqueue_reconcile(affected, cause=f"{function.name} handed on to {receiver}", actor=receiver.pk)
    watch_by_default(user=receiver, function=function)


def _find_receiver(name: str) -> User:
    check_text(name, field="to")
    named = User.objects.filter(username__iexact=name.strip(), is_active=True)
    # Of names that differ only in case, prefer the exact spelling.
    receiver = named.filter(username=name.strip()).first() or named.first()
    if receiver is None or not is_person(receiver):
        message = _("There is no user %(name)s.") % {"name": repr(name.strip()[:150])}
        raise Refusal("no_such_user", message, field="to")
    return receiver


def _refuse_its_owner(function: Function, receiver: User) -> None:
    if function.owner_id == receiver.pk:
        message = _("%(user)s already owns %(name)s.") % {
            "user": receiver.get_username(),
            "name": function.name,
        }
        raise Refusal("owns_it_already", message, field="to")


def _no_offer(function: Function) -> Conflict:
    message = _("%(name)s is not offered to you.") % {"name": function.name}
    return Conflict("no_offer", message)
