"""Which previews concern canaries, and which canaries they concern."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef

from functions.models import Effect, LockedRelease, Preview
from runner.pipelines.follow_up_queue import NewFollowUp
from runner.pipelines.outbox import enqueue_follow_ups

TELL_PREVIEW = "functions.canaries.preview"


def enqueue_preview_notices(batch_ids: Iterable[int]) -> None:
    """Have canaries told of these batches' previews, once they have ended.

    That is of previews that are loaded, and whose change reaches what anybody has locked.
    """
    of_function = LockedRelease.objects.filter(name_key=OuterRef("function__name_key"))
    effects = Effect.objects.filter(Exists(of_function), preview=OuterRef("pk"))
    rows = Preview.objects.filter(
        Exists(of_function) | Exists(effects),
        batch__in=list(batch_ids),
        batch__all_tasks_loaded=True,
    )
    enqueue_follow_ups(
        [
            NewFollowUp(name=TELL_PREVIEW, target=str(pk))
            for pk in rows.order_by("pk").values_list("pk", flat=True)
        ]
    )


def names_in(preview: Preview) -> set[str]:
    """Return the keys of the names whose meaning the change reaches, as far as they were tried."""
    tried = preview.effects.values_list("function__name_key", flat=True)
    return {preview.function.name_key, *tried}


def count_projects(preview: Preview) -> int:
    """Return the number of registered projects that have locked what the change reaches."""
    rows = LockedRelease.objects.filter(name_key__in=names_in(preview))
    return rows.values("canary").distinct().count()
