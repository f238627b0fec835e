"""Use cases of labels: an account is labelled as an agent's, or no longer, by itself or by staff.

What staff labelled only staff unlabels; a label of one's own one removes oneself. A label changes
how an account is shown, how its votes are counted, and its quotas; nothing else.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.audit import check_reason, record_act
from functions.errors import Conflict, Forbidden, no_such
from functions.models import AgentLabel, AuditEntry, is_agent_name
from functions.permissions import require_person, require_staff
from functions.read_models.cursors import decode_place, encode_cursor
from runner.registry import Actor

Source = AgentLabel.Source


@transaction.atomic
def label_oneself(*, actor: Actor) -> AgentLabel:
    """Label one's own account; where it is labelled already, nothing changes."""
    user = _lock(require_person(actor).get_username())
    _refuse_staff(user)
    standing = AgentLabel.objects.filter(user=user).first()
    return standing or AgentLabel.objects.create(user=user, source=Source.HOLDER)


@transaction.atomic
def unlabel_oneself(*, actor: Actor) -> None:
    """Remove a label of one's own. Votes that were cast under it stay an agent's."""
    user = _lock(require_person(actor).get_username())
    standing = AgentLabel.objects.filter(user=user).first()
    if standing is None:
        raise Conflict("not_labelled", _("Your account is not labelled as an agent's."))
    if standing.source == Source.STAFF:
        message = _("Staff labelled your account: %(reason)s. Only staff can remove this label.")
        raise Forbidden("labelled_by_staff", message % {"reason": standing.reason.rstrip(".")})
    standing.delete()


@transaction.atomic
def label_account(*, actor: Actor, username: str, reason: str) -> AgentLabel:
    """Label an account as staff; a label of its own becomes staff's."""
    staff = require_staff(actor)
    reason = check_reason(reason, is_required=True)
    user = _lock(username)
    if is_agent_name(user.get_username()):
        message = _("%(name)s was made as an agent, and is always labelled.")
        raise Conflict("always_labelled", message % {"name": user.get_username()})
    _refuse_staff(user)
    standing = AgentLabel.objects.filter(user=user).first()
    if standing is None:
        standing = AgentLabel(user=user)
    elif standing.source == Source.STAFF:
        message = _("Staff labelled %(name)s already.") % {"name": user.get_username()}
        raise Conflict("labelled_already", message)
    standing.source, standing.reason, standing.created_at = Source.STAFF, reason, timezone.now()
    standing.settled_at = None
    standing.save()
    record_act(staff, AuditEntry.Act.AGENT_LABELLED, person=user, reason=reason)
    return standing


@transaction.atomic
def unlabel_account(*, actor: Actor, username: str, reason: str = "") -> None:
    """Remove an account's label as staff, whoever gave it."""
    staff = require_staff(actor)
    reason = check_reason(reason)
    user = _lock(username)
    if not AgentLabel.objects.filter(user=user).delete()[0]:
        message = _("%(name)s has no label that can be removed.") % {"name": user.get_username()}
        raise Conflict("not_labelled", message)
    record_act(staff, AuditEntry.Act.AGENT_UNLABELLED, person=user, reason=reason)


def own_label(user: User) -> AgentLabel | None:
    """Return the label of this account, if it has one that can be removed."""
    return AgentLabel.objects.filter(user=user).first()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPage:
    """A page of labels, of the newest accounts first; `next` is the next cursor, or empty."""

    rows: tuple[AgentLabel, ...]
    next: str


def labels(*, cursor: str = "", limit: int = 50) -> LabelPage:
    """Return a page of the present labels by themselves and by staff. Raises BadCursor."""
    found = AgentLabel.objects.select_related("user").order_by("-pk")
    if cursor:
        (last,) = decode_place(cursor, 1)
        found = found.filter(pk__lt=last)
    rows = list(found[: limit + 1])
    more = encode_cursor(rows[limit - 1].pk) if len(rows) > limit else ""
    return LabelPage(rows=tuple(rows[:limit]), next=more)


def _lock(username: str) -> User:
    user = User.objects.select_for_update(no_key=True).filter(username=username).first()
    if user is None:
        raise no_such("user")
    return user


def _refuse_staff(user: User) -> None:
    if user.is_staff or user.is_superuser:
        message = _("Members of staff can't be labelled as agents.")
        raise Forbidden("staff_account", message)
