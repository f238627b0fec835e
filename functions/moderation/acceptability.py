"""Use case of owners: they say which works are acceptable."""

from django.db import transaction

from functions.audit import check_reason, record_act
from functions.contests.evaluation import enqueue_reconcile
from functions.contests.test_rules import StandingCause
from functions.locks import lock_function, lock_published
from functions.models import AuditEntry, Implementation, Test
from functions.moderation.challenges import give_standing
from functions.permissions import require_moderator, require_visible
from runner.registry import Actor

_ACTS = {
    True: AuditEntry.Act.ACCEPTED,
    False: AuditEntry.Act.UNACCEPTABLE,
    None: AuditEntry.Act.LEFT_TO_VOTES,
}


@transaction.atomic
def judge_work(
    *, actor: Actor, work: Implementation | Test, acceptable: bool | None, reason: str = ""
) -> None:
    """Mark a work acceptable (True) or not (False), or leave it to the votes (None)."""
    require_visible(actor, work)
    reason = check_reason(reason)
    function = lock_function(work.function_id)
    judge = require_moderator(actor, function)
    locked = lock_published(work)
    if (locked.acceptable, locked.acceptable_reason) == (acceptable, reason):
        return
    locked.acceptable = acceptable
    locked.acceptable_reason = reason
    locked.judge = judge if acceptable is not None else None
    fields = ["acceptable", "acceptable_reason", "judge"]
    if isinstance(locked, Test) and acceptable:
        give_standing(locked, StandingCause.ACCEPTED)
        fields += ["standing_cause", "standing_since", "proven_by", "proven_uses"]
    locked.save(update_fields=fields)
    act = _ACTS[acceptable]
    record_act(
        judge,
        act,
        function=function,
        kind=work.noun,
        item_id=work.pk,
        label=f"{locked}",
        reason=reason,
    )
    cause = f"{work.noun} {locked} {act.label} by {judge}"
    enqueue_reconcile([function.pk], cause=cause, actor=judge.pk)
