"""What people do to a run: cancel it, retry what came to nothing, have all of it run once more."""

from django.db import transaction

from functions.errors import Conflict
from functions.permissions import require_steering
from functions.rates import Rate
from runner.cancelling import cancel_batches
from runner.models import Batch
from runner.querysets import open_family
from runner.registry import Actor

# Each may be thousands of programs.
RERUNS = Rate("reruns", tries=60, seconds=3600)


@transaction.atomic
def cancel_run(*, actor: Actor, batch: Batch) -> None:
    """Cancel what is left of a run, and of the runs that it has caused."""
    require_steering(actor, batch)
    family = open_family(batch)
    if not family:
        raise Conflict("run_ended", f"Run {batch.pk} has ended already.")
    cancel_batches(family)
