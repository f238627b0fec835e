"""Writes the audit log, and tells open pages; called in the transaction of the act itself."""

from django.contrib.auth.models import User

from functions.errors import Refusal
from functions.models import AuditEntry, Function
from functions.notifications.page_events import announce_change
from functions.source.validation import check_text

LONGEST_REASON = 500
Act = AuditEntry.Act
# What changes a function's page as a whole; comments have events of their own.
TOLD = frozenset(
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
    """Keep who did what, on what, to whom and why.

    `kind`, `item_id` and `label` are of the work or comment that it is about, if it is about one.
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
    if function is not None and act in TOLD:
        whom = person.get_username() if person else ""
        announce_change(function, actor, " ".join(filter(None, [act.label, label, whom])))


def check_reason(reason: str, *, field: str = "reason", is_required: bool = False) -> str:
    """Return a reason without blanks around it; refuses what can't be kept, or isn't given."""
    check_text(reason, field=field)
    reason = reason.strip()
    if is_required and not reason:
        raise Refusal("reason_required", "Say why, in a few words.", field=field)
    if len(reason) > LONGEST_REASON:
        message = f"The {field} has {len(reason)} characters; {LONGEST_REASON} is the most."
        raise Refusal("too_long", message, field=field)
    return reason
