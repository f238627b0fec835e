"""Withdraws published works, which stay on the page."""

from django.db import transaction
from django.utils import timezone

from functions.contests.evaluation import RECONCILE, RECORDER
from functions.elections.releases import yank_withdrawn
from functions.graph.usage import discount_last_use
from functions.locks import hold_names, lock_function, lock_published
from functions.models import Implementation, Test, Work
from functions.permissions import require_author
from runner.batches.submission import submit_batch
from runner.models import Batch
from runner.pipelines.outbox import enqueue_follow_up
from runner.registry import Actor


@transaction.atomic
def withdraw(*, actor: Actor, work: Implementation | Test) -> Batch:
    """Withdraw a published work: it is still shown, but no longer a candidate."""
    author = require_author(actor, work)
    function = lock_function(work.function_id)
    locked = lock_published(work)
    hold_names(locked.dependencies.values_list("name_key", flat=True))
    locked.state = Work.State.WITHDRAWN
    locked.withdrawn_at = timezone.now()
    fields = ["state", "withdrawn_at"]
    if isinstance(locked, Test):
        locked.counts = False
        fields.append("counts")
    locked.save(update_fields=fields)
    yank_withdrawn(locked)
    cause = f"{work.noun} {locked} withdrawn"
    batch = submit_batch(
        topic=function.topic, programs=[], owner=author, cause=cause, recorder=RECORDER
    )
    enqueue_follow_up(RECONCILE, str(function.pk), batch=batch, arguments={"cause": cause})
    discount_last_use(locked)
    return batch
