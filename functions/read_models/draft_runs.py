"""The read model of a draft's earlier runs, which the editor compares with the last one."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from functions.models import Implementation, Test
from runner.models import Batch, Event, Result, Task
from runner.states import BatchState

MAX_RUNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierCell:
    """A result of an earlier run."""

    key: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRun:
    """An earlier run; `cells` are by the id of the test, or of the implementation for tests."""

    batch: int
    started_at: datetime
    cells: dict[int, EarlierCell]


def whole_runs(topic: str) -> QuerySet[Event]:
    """Return the submissions of a draft's runs against all opponents, the newest first."""
    submitted = Event.objects.filter(topic__name=topic, type="batch.submitted")
    return submitted.exclude(payload__has_key="alone").order_by("-seq")


def earlier_runs(draft: Implementation | Test) -> tuple[DraftRun, ...]:
    """Return the finished runs before the last one, the newest first."""
    former = {
        event.payload["batch"]: event for event in whole_runs(draft.draft_topic)[1 : MAX_RUNS + 1]
    }
    batches = Batch.objects.filter(pk__in=former, state=BatchState.COMPLETE).order_by("-pk")
    return tuple(_run(batch, draft, former[batch.pk]) for batch in batches)


def _run(batch: Batch, draft: Implementation | Test, submitted: Event) -> DraftRun:
    verdicts = _verdicts(batch)
    cells = {}
    for implementation, test, key in submitted.payload.get("cells", ()):
        opponent = test if isinstance(draft, Implementation) else implementation
        if opponent and key in verdicts:
            cells[opponent] = EarlierCell(key=key, verdict=verdicts[key])
    return DraftRun(batch=batch.pk, started_at=batch.created_at, cells=cells)


def _verdicts(batch: Batch) -> dict[str, str]:
    tasks = Task.objects.filter(batch=batch).values("execution")
    results = Result.objects.filter(execution__in=tasks)
    return {
        bytes(key).hex(): verdict
        for key, verdict in results.values_list("execution__key", "verdict")
    }
