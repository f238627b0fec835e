"""Writes the audit log and publishes acts to open pages, within the act's transaction."""

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from functions.errors import Refusal
from functions.models import AuditEntry, Function
from functions.source.validation import check_text
from runner.pipelines.outbox import append_event

MAX_REASON_LENGTH = 500
Act = AuditEntry.Act
# Acts that are published to the function's page; comments have events of their own.
PAGE_CHANGES = frozenset(
    {
        *(Act.ACCEPTED, Act.UNACCEPTABLE, Act.LEFT_TO_VOTES, Act.RESTORED, Act.RENAMED),
        *(Act.ARCHIVED, Act.UNARCHIVED, Act.OFFERED, Act.OFFER_ENDED, Act.OFFER_DECLINED),
        *(Act.OFFER_ACCEPTED, Act.TRANSFERRED),
    }
)


def record_act(
    actor: User,
    act: AuditEntry.Act,
    *,
    function: Function | None = None,
    person: User | None = None,
    kind: str = "",
    item_id: int | None = None,
    label: str = "",
    reason: str = "",
) -> None:
    """Record an act of a user, and the person and item concerned.

    `kind`, `item_id` and `label` describe a work or comment, if the act is about one.
    """
    AuditEntry.objects.create(
        actor=actor,
        act=act,
        function=function,
        person=person,
        kind=kind,
        item_id=item_id,
        label=label,
        reason=reason,
    )
    if function is not None and act in PAGE_CHANGES:
        person_name = person.get_username() if person else ""
        publish_change(function, actor, " ".join(filter(None, [act.label, label, person_name])))


def publish_change(function: Function, actor: User, action: str) -> None:
    """Publish a user's action on the function to its open pages, which then offer a reload.

    Called in the transaction of the action.
    """
    text = f"{actor.get_username()} {action}."
    payload = {"function": function.pk, "says": text, "url": function.get_absolute_url()}
    append_event(function.topic, "function.changed", payload)


def check_reason(reason: str, *, field: str = "reason", is_required: bool = False) -> str:
    """Return a reason, stripped. Raises a Refusal if it is invalid, too long, or missing."""
    reason = reason.strip()
    check_text(reason, field=field, longest=MAX_REASON_LENGTH)
    if is_required and not reason:
        raise Refusal("reason_required", _("Give a short reason."), field=field)
    return reason
