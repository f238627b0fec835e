"""Use cases of works: owners judge them, authors withdraw them."""

from django.db import transaction
from django.utils import timezone

from functions.audit import check_reason, record_act
from functions.contests.evaluation import RECONCILE, RECORDER, enqueue_reconcile
from functions.contests.test_rules import StandingCause
from functions.errors import Conflict, no_such
from functions.graph.usage import discount_last_use
from functions.locks import hold_names, lock_function
from functions.models import AuditEntry, Implementation, Test, Work
from functions.moderation.challenges import give_standing
from functions.permissions import require_author, require_moderator, require_visible
from runner.batches.submission import submit_batch
from runner.models import Batch
from runner.pipelines.outbox import enqueue_follow_up
from runner.registry import Actor

_ACTS = {
    True: AuditEntry.Act.ACCEPTED,
    False: AuditEntry.Act.UNACCEPTABLE,
    None: AuditEntry.Act.LEFT_TO_VOTES,
}


@transaction.atomic
def withdraw(*, actor: Actor, work: Implementation | Test) -> Batch:
    """Withdraw a published work: it is still shown, but no longer a candidate."""
    author = require_author(actor, work)
    function = lock_function(work.function_id)
    locked = _lock_published(work)
    hold_names(locked.dependencies.values_list("name_key", flat=True))
    locked.state = Work.State.WITHDRAWN
    locked.withdrawn_at = timezone.now()
    fields = ["state", "withdrawn_at"]
    if isinstance(locked, Test):
        locked.counts = False
        fields.append("counts")
    locked.save(update_fields=fields)
    cause = f"{work.noun} {locked} withdrawn"
    batch = submit_batch(
        topic=function.topic, programs=[], owner=author, cause=cause, recorder=RECORDER
    )
    enqueue_follow_up(RECONCILE, str(function.pk), batch=batch, arguments={"cause": cause})
    discount_last_use(locked)
    return batch


@transaction.atomic
def judge_work(
    *, actor: Actor, work: Implementation | Test, acceptable: bool | None, reason: str = ""
) -> None:
    """Mark a work acceptable (True) or not (False), or leave it to the votes (None)."""
    require_visible(actor, work)
    reason = check_reason(reason)
    function = lock_function(work.function_id)
    judge = require_moderator(actor, function)
    locked = _lock_published(work)
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


def _lock_published(work: Implementation | Test) -> Implementation | Test:
    """Lock and return the work's current row. Raises a Refusal if it isn't published."""
    rows = type(work).objects.select_for_update(no_key=True, of=("self",))
    locked = rows.filter(pk=work.pk).first()
    if locked is None:
        raise no_such(work.noun)
    if locked.state != Work.State.PUBLISHED:
        raise Conflict("not_published", f"This {work.noun} is {locked.state}, not published.")
    return locked
