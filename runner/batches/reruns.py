"""Retries and reruns, as new batches, because finished tasks never change."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import QuerySet

from runner.batches.paged_load import PagedPrograms
from runner.batches.submission import submit_batch
from runner.errors import NothingToRun
from runner.models import Batch, Execution, Task
from runner.programs.program import PreparedProgram, stored_program
from runner.registry import Page
from runner.states import UNSUCCESSFUL, State

TASKS = "runner.tasks"
# Larger batches are loaded page by page.
MAX_IN_TRANSACTION = 1_000


def retry_batch(batch: Batch, owner: AbstractBaseUser | None, **options: Any) -> Batch:
    """Submit the given-up and cancelled programs again; must be called inside a transaction.

    The new batch has the topic, recorder and privacy of the old one; `options` are those of
    `submit_batch`. The caller checks permissions. Raises NothingToRun.
    """
    return _resubmit(batch, owner, UNSUCCESSFUL, {"cause": f"run {batch.pk} retried", **options})


def rerun_batch(batch: Batch, owner: AbstractBaseUser | None, **options: Any) -> Batch:
    """Run all programs again, even those with results; otherwise like `retry_batch`.

    Results stay until new ones replace them.
    """
    options = {"cause": f"run {batch.pk} again", "rerun": True, **options}
    return _resubmit(batch, owner, tuple(State), options)


def rerun_task(task: Task, owner: AbstractBaseUser | None, **options: Any) -> Batch:
    """Run this task's program again; otherwise like `rerun_batch`."""
    batch = task.batch
    return submit_batch(
        topic=batch.topic.name,
        owner=owner,
        recorder=batch.recorder,
        private=batch.private,
        programs=_programs(Task.objects.filter(pk=task.pk)),
        **{"cause": f"a program of run {batch.pk} again", "rerun": True, **options},
    )


def _resubmit(
    batch: Batch,
    owner: AbstractBaseUser | None,
    states: tuple[State, ...],
    options: Mapping[str, Any],
) -> Batch:
    tasks = batch.tasks.filter(state__in=states)
    count = tasks.count()
    if not count:
        raise NothingToRun("There is nothing in this run that could be run again.")
    chained = tasks.filter(predecessor__isnull=False)
    programs: dict[str, Any]
    if count > MAX_IN_TRANSACTION and not chained.exists():
        arguments = {"batch": batch.pk, "states": list(states)}
        programs = {"programs": PagedPrograms(TASKS, arguments)}
    else:
        programs = {
            "programs": _programs(tasks.order_by("id")),
            "after": _predecessors(chained, states),
        }
    return submit_batch(
        topic=batch.topic.name,
        owner=owner,
        recorder=batch.recorder,
        private=batch.private,
        **programs,
        **options,
    )


def _predecessors(chained: QuerySet[Task], states: tuple[State, ...]) -> dict[bytes, bytes | Task]:
    """Return each chained program's predecessor: its key if that is rerun too, else its task."""
    after: dict[bytes, bytes | Task] = {}
    for task in chained.select_related("execution", "predecessor__execution"):
        before = task.predecessor
        if before is not None:
            is_repeated = before.batch_id == task.batch_id and before.state in states
            key = bytes(before.execution.key)
            after[bytes(task.execution.key)] = key if is_repeated else before
    return after


def _programs(tasks: QuerySet[Task]) -> list[PreparedProgram]:
    """Return the tasks' programs, whose sources are kept as long as the tasks."""
    executions = Execution.objects.in_bulk(list(tasks.values_list("execution", flat=True)))
    return [
        stored_program(bytes(execution.key), execution.program, execution.tag)
        for execution in executions.values()
    ]


def read_tasks(arguments: Mapping[str, Any], cursor: int | None, at_most: int) -> Page:
    """Return a page of the programs to submit again; the registered source of large reruns."""
    tasks = Task.objects.filter(batch=arguments["batch"], state__in=arguments["states"])
    ids = tasks.filter(pk__gt=cursor or 0).order_by("pk").values_list("pk", flat=True)
    page = list(ids[:at_most])
    programs = _programs(Task.objects.filter(pk__in=page))
    return Page(programs, page[-1] if len(page) == at_most else None)
