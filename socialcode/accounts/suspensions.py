"""Suspensions of accounts by staff."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.audit import check_reason, record_act
from functions.errors import Conflict, Forbidden, no_such
from functions.models import AuditEntry
from functions.permissions import person_behind, require_staff
from functions.read_models.cursors import decode_place, encode_cursor
from runner.registry import Actor
from socialcode.accounts.models import Suspension
from socialcode.accounts.security.log import Event, log_event
from socialcode.accounts.sessions import end_sessions


def suspend(*, actor: Actor, username: str, reason: str) -> Suspension:
    """Suspend an account: sessions, sockets and tokens end at once; published work stays."""
    with transaction.atomic():
        suspension = _suspend(actor, username, reason)
    # They sign nobody in now; deleted, they won't either after the suspension is lifted.
    end_sessions(suspension.user_id)
    return suspension


def _suspend(actor: Actor, username: str, reason: str) -> Suspension:
    staff = require_staff(actor)
    reason = check_reason(reason, is_required=True)
    user = _lock_user(username)
    if user.pk == staff.pk:
        raise Forbidden("own_account", _("You can't suspend your own account."))
    if (user.is_staff or user.is_superuser) and not staff.is_superuser:
        message = _("Only a superuser can suspend a member of staff.")
        raise Forbidden("staff_account", message)
    if standing_suspension(user) is not None:
        message = _("%(name)s is suspended already.") % {"name": user.get_username()}
        raise Conflict("suspended_already", message)
    user.is_active = False
    # Saving the row rechecks the user's sockets; everything else reads it on each request.
    user.save(update_fields=["is_active"])
    suspension = Suspension.objects.create(user=user, suspended_by=staff, reason=reason)
    record_act(staff, AuditEntry.Act.SUSPENDED, person=user, reason=reason)
    log_event(Event.SUSPENDED, user=user, reason=reason)
    return suspension


@transaction.atomic
def lift_suspension(*, actor: Actor, username: str, reason: str = "") -> None:
    """Lift a suspension."""
    staff = require_staff(actor)
    reason = check_reason(reason)
    user = _lock_user(username)
    suspension = standing_suspension(user)
    if suspension is None:
        message = _("%(name)s is not suspended.") % {"name": user.get_username()}
        raise Conflict("not_suspended", message)
    suspension.lifted_at = timezone.now()
    suspension.save(update_fields=["lifted_at"])
    user.is_active = True
    user.save(update_fields=["is_active"])
    record_act(staff, AuditEntry.Act.SUSPENSION_LIFTED, person=user, reason=reason)
    log_event(Event.SUSPENSION_LIFTED, user=user)


def standing_suspension(user: User) -> Suspension | None:
    """Return the current suspension of this account, if any."""
    standing = Suspension.objects.filter(user=user, lifted_at=None)
    return standing.select_related("suspended_by").first()


def why_shut(user: User) -> str:
    """Return the message to a suspended user: when, by whom and why."""
    person = person_behind(user)
    suspension = standing_suspension(user) or standing_suspension(person)
    if suspension is None:
        return _("This account is switched off. Ask the staff of this site.")
    message = _(
        "This account was suspended on %(day)s by %(name)s: %(reason)s. Ask %(name)s, or another "
        "of the staff, to lift it."
    )
    return message % {
        "day": f"{suspension.created_at:%Y-%m-%d}",
        "name": suspension.suspended_by.get_username(),
        "reason": suspension.reason.rstrip("."),
    }


def _lock_user(username: str) -> User:
    user = User.objects.select_for_update(no_key=True).filter(username=username).first()
    if user is None:
        raise no_such("user")
    return user


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspensionPage:
    """A page of current suspensions, newest first; `next` is the next cursor, or empty."""

    rows: tuple[Suspension, ...]
    next: str


def suspensions(*, cursor: str = "", limit: int = 50) -> SuspensionPage:
    """Return a page of the current suspensions. Raises BadCursor."""
    standing = Suspension.objects.filter(lifted_at=None).select_related("user", "suspended_by")
    if cursor:
        (last,) = decode_place(cursor, 1)
        standing = standing.filter(pk__lt=last)
    rows = list(standing.order_by("-pk")[: limit + 1])
    more = encode_cursor(rows[limit - 1].pk) if len(rows) > limit else ""
    return SuspensionPage(rows=tuple(rows[:limit]), next=more)
