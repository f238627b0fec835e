"""Reruns all programs at the lowest priority after a change of the runtime."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from functions.contests.evaluation import LOWEST_PRIORITY, enqueue_reconcile
from functions.elections.acceptance_review import enqueue_review
from functions.models import Function, Runtime
from runner.models import Execution, FanOut
from runner.pipelines.fan_out import RetryLater, fan_out
from runner.registry import Page
from runner.sandbox import RUNTIME_VERSION
from runner.states import State

FUNCTIONS = "functions.all"
RERUN = "functions.run_anew"
CHECK_SECONDS = 300
FUNCTIONS_AT_ONCE = 20
# With this many executions pending at the lowest priority, the run pauses.
MAX_WAITING = 5_000
PAUSE_SECONDS = 30.0


@transaction.atomic
def check_runtime(_cursor: int) -> int:
    """Start a rerun of all functions if the runtime has changed; a periodic task."""
    last = Runtime.objects.select_for_update().order_by("-pk").first()
    if last is not None and last.version == RUNTIME_VERSION:
        return 0
    if last is None:  # the first start, so there are no results of another runtime
        Runtime.objects.create(version=RUNTIME_VERSION, walked_at=timezone.now())
        return 0
    Runtime.objects.create(version=RUNTIME_VERSION)
    fan_out("runtime", source=FUNCTIONS, step=RERUN, page=FUNCTIONS_AT_ONCE)
    return 0


def read_functions(_arguments: Mapping[str, Any], cursor: int | None, at_most: int) -> Page:
    """Return the next functions by id; a source."""
    living = Function.objects.filter(deleted_at=None, pk__gt=cursor or 0)
    found = list(living.order_by("pk").values_list("pk", flat=True)[: at_most + 1])
    return Page(found[:at_most], found[at_most - 1] if len(found) > at_most else None)


def enqueue_rerun(function_ids: Sequence[int], _run: FanOut) -> None:
    """Enqueue elections of a page of functions, which set their cells to new programs; a step.

    Former results count provisionally until then.
    """
    waiting = Execution.objects.filter(state=State.PENDING, priority=LOWEST_PRIORITY)
    if waiting.values("pk")[:MAX_WAITING].count() == MAX_WAITING:
        raise RetryLater(PAUSE_SECONDS)
    enqueue_reconcile(function_ids, cause="another version of Python, the policy or the helpers")
    enqueue_review(dict.fromkeys(Function.objects.filter(pk__in=function_ids)))


def finish_rerun(_run: FanOut) -> None:
    """Record that the rerun has covered all functions."""
    Runtime.objects.filter(version=RUNTIME_VERSION, walked_at=None).update(walked_at=timezone.now())
