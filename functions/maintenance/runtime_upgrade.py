"""When the runtime changes, everything is run anew, behind all that anybody waits for."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from functions.contests.evaluation import LOWEST_PRIORITY, enqueue_reconcile
from functions.elections.acceptance_review import enqueue_review
from functions.models import Function, Runtime
from runner.models import Execution, FanOut
from runner.pipelines.fan_out import NotYet, fan_out
from runner.registry import Page
from runner.sandbox import RUNTIME_VERSION
from runner.states import State

FUNCTIONS = "functions.all"
RUN_ANEW = "functions.run_anew"
LOOK_SECONDS = 300
FUNCTIONS_AT_ONCE = 20
# Beyond so many that wait at the lowest priority the walk rests for a while.
MOST_WAITING = 5_000
REST_SECONDS = 30.0


@transaction.atomic
def look_at_runtime(_cursor: int) -> int:
    """Begin to have everything run anew, if the runtime is another than last time; a chore."""
    last = Runtime.objects.select_for_update().order_by("-pk").first()
    if last is not None and last.version == RUNTIME_VERSION:
        return 0
    if last is None:  # what there is was made in this one
        Runtime.objects.create(version=RUNTIME_VERSION, walked_at=timezone.now())
        return 0
    Runtime.objects.create(version=RUNTIME_VERSION)
    fan_out("runtime", source=FUNCTIONS, step=RUN_ANEW, page=FUNCTIONS_AT_ONCE)
    return 0


def read_functions(_arguments: Mapping[str, Any], cursor: int | None, at_most: int) -> Page:
    """Return the next of all functions; a source."""
    living = Function.objects.filter(deleted_at=None, pk__gt=cursor or 0)
    found = list(living.order_by("pk").values_list("pk", flat=True)[: at_most + 1])
    return Page(found[:at_most], found[at_most - 1] if len(found) > at_most else None)


def run_anew(function_ids: Sequence[int], _walk: FanOut) -> None:
    """Have a page of functions judged, which lets their squares mean the present programs; a step.

    Their former results count until the new ones are there, so nothing is in a hurry.
    """
    waiting = Execution.objects.filter(state=State.PENDING, priority=LOWEST_PRIORITY)
    if waiting.values("pk")[:MOST_WAITING].count() == MOST_WAITING:
        raise NotYet(REST_SECONDS)
    enqueue_reconcile(function_ids, cause="another version of Python, the policy or the helpers")
    enqueue_review(dict.fromkeys(Function.objects.filter(pk__in=function_ids)))


def end_walk(_walk: FanOut) -> None:
    """Keep that all functions have been walked through."""
    Runtime.objects.filter(version=RUNTIME_VERSION, walked_at=None).update(walked_at=timezone.now())
