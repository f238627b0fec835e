"""Tells canaries what a preview has found out about what they have locked."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from functions.canaries.notices import payload_of
from functions.canaries.previews import names_in
from functions.errors import Conflict, no_such
from functions.models import Canary, Effect, LockedRelease, Preview
from functions.permissions import require_account
from functions.previews.effects import Forecast, Outcome
from functions.previews.forecasts import forecast_all
from functions.previews.steps import known_results
from functions.webhooks.deliveries import enqueue_deliveries
from runner.models import FanOut, Task
from runner.pipelines.fan_out import FanOutCancelled, fan_out
from runner.registry import Actor, Page
from runner.states import State

PREVIEWED = "canary.preview"
CANARIES = "functions.canaries.preview.canaries"
DELIVER = "functions.canaries.preview.deliver"
CANARIES_AT_ONCE = 50
MAX_TESTS = 10  # named of one function
_ENDED = (State.SUCCEEDED, State.IGNORED)


class Class(StrEnum):
    """The class of a change, for projects that have locked a function."""

    SAME_VERDICTS = "same_verdicts"  # it would mean something else, and pass the same tests
    VERDICTS_CHANGE = "verdicts_change"  # tests pass or fail, or another implementation takes over
    BLOCKED = "blocked"  # it would have no working implementation
    UNKNOWN = "unknown"  # it wasn't tried, or not to the end


@transaction.atomic
def tell_projects(*, actor: Actor, preview: Preview) -> Preview:
    """Tell the registered projects concerned what a preview has found out, once.

    A preview is its author's alone, so nobody is told before the author wants it. Raises Conflict
    while it is running, or if it was cancelled.
    """
    owner = require_account(actor)
    rows = Preview.objects.select_related("batch", "function").filter(owner=owner)
    locked = rows.select_for_update(of=("self",)).filter(pk=preview.pk).first()
    if locked is None:
        raise no_such("preview")
    if not _has_ended(locked):
        message = _("This preview has not run to its end, so there is nothing to tell.")
        raise Conflict("preview_open", message)
    if not is_told(locked):
        fan_out(
            _name_of(locked.pk),
            source=CANARIES,
            step=DELIVER,
            arguments={"preview": locked.pk},
            page=CANARIES_AT_ONCE,
            owner_id=owner.pk,
        )
    return locked


def is_told(preview: Preview) -> bool:
    """Return whether the projects concerned were told, or are being told."""
    return FanOut.objects.filter(name=_name_of(preview.pk)).exists()


def read_canaries(arguments: Mapping[str, Any], cursor: int | None, at_most: int) -> Page:
    """Return the next canaries that lock what the preview's change reaches; a source."""
    preview = Preview.objects.filter(pk=arguments["preview"]).first()
    names = names_in(preview) if preview else set()
    found = Canary.objects.filter(pk__gt=cursor or 0, webhook__isnull=False)
    found = found.filter(pk__in=LockedRelease.objects.filter(name_key__in=names).values("canary"))
    ids = list(found.order_by("pk").values_list("pk", flat=True)[:at_most])
    return Page(ids, ids[-1] if len(ids) == at_most else None)


def deliver_preview(canary_ids: Sequence[int], run: FanOut) -> None:
    """Enqueue a delivery for each of these canaries; a step. The preview's author isn't named."""
    preview = Preview.objects.filter(pk=run.arguments["preview"]).first()
    if preview is None:
        raise FanOutCancelled
    changes = dict(_changes(preview))
    rows = LockedRelease.objects.filter(canary__in=canary_ids, name_key__in=changes)
    locked: dict[int, list[LockedRelease]] = {pk: [] for pk in canary_ids}
    for row in rows.select_related("release").order_by("name_key"):
        locked[row.canary_id].append(row)
    for canary in Canary.objects.filter(pk__in=canary_ids).order_by("pk"):
        own = [{"locked": row.release.number, **changes[row.name_key]} for row in locked[canary.pk]]
        if own and canary.webhook_id:
            enqueue_deliveries(
                [canary.webhook_id],
                event=PREVIEWED,
                key=f"canary {canary.pk}: preview {preview.pk}",
                payload={
                    **payload_of(canary, own),
                    "preview": preview.pk,
                    "function": preview.function.name,
                    "change": preview.change,
                },
            )


def _name_of(preview_id: int) -> str:
    return f"canaries of preview:{preview_id}"


def _has_ended(preview: Preview) -> bool:
    """Return whether everything has run; not if it was cancelled, or is about to be."""
    batch = preview.batch
    if batch is None or batch.is_cut_short or not batch.all_tasks_loaded:
        return False
    return not Task.objects.filter(batch=batch).exclude(state__in=_ENDED).exists()


def _changes(preview: Preview) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return what would differ of each function that was tried, by the key of its name."""
    effects = list(preview.effects.select_related("function"))
    own, others = forecast_all(preview, effects, known_results(effects, is_over=True))
    for effect in effects:
        if effect.function_id in others:
            forecast = others[effect.function_id]
            yield (
                effect.function.name_key,
                {
                    "name": effect.function.name,
                    "class": _class_of(effect, forecast),
                    "elected": _elected(effect, forecast),
                    "failing": [label for label, _ in forecast.failing][:MAX_TESTS],
                    "tests": [test["label"] for test in effect.tests][:MAX_TESTS],
                },
            )
    yield preview.function.name_key, _own(preview, own, effects)


def _own(preview: Preview, own: Forecast | None, effects: Sequence[Effect]) -> dict[str, Any]:
    """Return what would differ of the function itself; tests of drafts aren't named."""
    effect = next((one for one in effects if one.function_id == preview.function_id), None)
    is_known = own is not None and effect is not None
    return {
        "name": preview.function.name,
        "class": _class_of(effect, own) if is_known and effect and own else Class.BLOCKED,
        "elected": _elected(effect, own) if is_known and effect and own else "none",
        "failing": [],
        "tests": [],
    }


def _class_of(effect: Effect, forecast: Forecast) -> Class:
    if forecast.outcome in (Outcome.UNKNOWN, Outcome.WAITING):
        return Class.UNKNOWN
    if forecast.outcome == Outcome.BREAKS:
        return Class.BLOCKED
    is_same = forecast.outcome == Outcome.STAYS and not forecast.failing and not effect.tests
    return Class.SAME_VERDICTS if is_same else Class.VERDICTS_CHANGE


def _elected(effect: Effect, forecast: Forecast) -> str:
    """Return whether the same implementation would be current, another one, or none."""
    if forecast.elected is None:
        return "none"
    return "same" if forecast.elected == effect.elected else "another"
