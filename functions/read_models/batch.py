"""The read model of a run's page: tasks, results, and child runs."""

from dataclasses import dataclass

from functions.models import Supersession
from functions.permissions import may_steer
from functions.read_models.run_list import RunRow, batch_for, run_rows
from functions.read_models.runs import LogLine, Progress, log_of, progress
from functions.read_models.snapshot import snapshot
from functions.read_models.tasks import TaskPage, task_list
from runner.batches.queries import rerun_tasks, visible_to
from runner.models import Batch
from runner.registry import Actor

CHILDREN_SHOWN = 20
EARLIER_SHOWN = 5
SUPERSESSIONS_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPage:
    """A run as its page shows it."""

    run: RunRow
    tasks: TaskPage
    run_again: int  # tasks that show the result of a later run
    log: tuple[LogLine, ...]
    children: tuple[RunRow, ...]  # at most 20
    has_more_children: bool
    earlier: tuple[RunRow, ...]  # the last few of the same topic before it
    supersessions: tuple[Supersession, ...]  # the first 20 changes that made its tasks obsolete
    may_cancel: bool
    may_retry: bool
    may_run_again: bool

    @property
    def progress(self) -> Progress:
        return self.run.progress


def batch_progress(batch_id: int, actor: Actor) -> Progress | None:
    """Return the progress of a batch; None if the reader may not see it."""
    with snapshot():
        batch = batch_for(batch_id, actor)
        return progress(batch) if batch else None


def batch_page(
    batch_id: int, actor: Actor, *, state: str = "", verdict: str = "", cursor: str = ""
) -> BatchPage | None:
    """Return a run's page with filtered tasks; None if the reader may not see it.

    Raises BadCursor.
    """
    with snapshot():
        batch = batch_for(batch_id, actor)
        if batch is None:
            return None
        related = Batch.objects.filter(visible_to(actor)).select_related("topic", "owner")
        children = list(related.filter(parent=batch).order_by("pk")[: CHILDREN_SHOWN + 1])
        earlier = list(
            related.filter(topic=batch.topic_id, pk__lt=batch.pk).order_by("-pk")[:EARLIER_SHOWN]
        )
        # Together, because each call takes several queries.
        run, *others = run_rows([batch, *children[:CHILDREN_SHOWN], *earlier])
        may_steer_it = may_steer(actor, batch)
        return BatchPage(
            run=run,
            tasks=task_list(actor, batch=batch.pk, state=state, verdict=verdict, cursor=cursor),
            run_again=rerun_tasks(batch).count(),
            log=tuple(log_of(batch.pk)),
            children=tuple(others[: len(others) - len(earlier)]),
            has_more_children=len(children) > CHILDREN_SHOWN,
            earlier=tuple(others[len(others) - len(earlier) :]),
            supersessions=tuple(
                Supersession.objects.filter(batch=batch).order_by("pk")[:SUPERSESSIONS_SHOWN]
            ),
            may_cancel=may_steer_it and run.progress.is_open,
            may_retry=may_steer_it and run.progress.retryable > 0,
            may_run_again=may_steer_it and not run.progress.is_open and run.progress.has_tasks,
        )
