"""Submits the programs of cells, records their verdicts, and enqueues elections."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import F, Q

from functions.contests.cells import MAX_MESSAGE_LENGTH, write_cells
from functions.contests.contest import Contest, Pair
from functions.contests.programs import ProgramBuilder
from functions.errors import refusing_over_quota
from functions.models import Cell, Implementation, Test, Work
from functions.notifications.watches import enqueue_failing_notices
from runner.batches.submission import submit_batch
from runner.models import Batch, FollowUp, Task
from runner.pipelines.follow_up_queue import NewFollowUp
from runner.pipelines.outbox import enqueue_follow_up, enqueue_follow_ups
from runner.programs.program import PreparedProgram
from runner.registry import FinishedTask
from runner.states import OPEN_STATES, State

RECORDER = "functions.cells"
RECONCILE = "functions.settle"
# For runs that no election waits for: low-ranked candidates, confirmation of provisional results.
LOWEST_PRIORITY = 9


def pairs_with(contest: Contest, work: Implementation | Test) -> list[Pair]:
    """Return the pairs of this work; those of an implementation include loading it."""
    if isinstance(work, Implementation):
        return [(work.pk, None), *((work.pk, test.pk) for test in contest.tests)]
    return [(implementation.pk, work.pk) for implementation in contest.implementations]


def all_pairs(contest: Contest) -> list[Pair]:
    """Return all pairs of the function.

    A candidate within the function's cycle is also paired with the tests of the other members, as
    it would replace the implementation that they were elected with.
    """
    own = [pair for work in contest.implementations for pair in pairs_with(contest, work)]
    theirs = [test.pk for other in contest.others if other.has_choice for test in other.tests]
    if not contest.cycle or not theirs:
        return own
    others = [work for work in contest.implementations if work.pk != contest.choice]
    in_cycle = [work.pk for work in others if contest.closure_of(work).cycle_group]
    return [*own, *((pk, test) for pk in in_cycle for test in theirs)]


def cell_rows(keys: Mapping[Pair, bytes | None]) -> list[list[Any]]:
    """Return the cells as events list them: [implementation, test or null, key or null]."""
    return [[pk, test_pk, key.hex() if key else None] for (pk, test_pk), key in keys.items()]


def submit_pairs(
    programs: Mapping[Pair, PreparedProgram],
    *,
    more: Mapping[str, Any] = MappingProxyType({}),
    **options: Any,
) -> Batch:
    """Submit the pairs' programs, each once; `more` goes into the submission's event.

    Options are those of `submit_batch`.

    Raises TooOften if too much of the owner is queued, or today's quota is used up.
    """
    distinct = {program.key: program for program in programs.values()}
    cells = cell_rows({pair: program.key for pair, program in programs.items()})
    with refusing_over_quota():
        return submit_batch(
            programs=list(distinct.values()), announcement={"cells": cells, **more}, **options
        )


def submit_work(
    contest: Contest, work: Implementation | Test, *, cause: str, owner: User, request_key: str
) -> Batch:
    """Submit all programs of a newly published work; return the batch.

    The caller holds the function's row.
    """
    builder = ProgramBuilder(contest, work=work)
    keys = builder.keys(pairs_with(contest, work))
    write_cells(keys, {}, {})  # before, as known results are recorded when they are submitted
    batch = submit_pairs(
        builder.programs([pair for pair, key in keys.items() if key]),
        topic=contest.function.topic,
        owner=owner,
        cause=cause,
        recorder=RECORDER,
        request_key=request_key,
    )
    enqueue_follow_up(RECONCILE, str(contest.function.pk), batch=batch, arguments={"cause": cause})
    return batch


def record_verdicts(finished: Sequence[FinishedTask], *, cause: str = "") -> None:
    """Write verdicts into the cells of these programs, and enqueue elections. A recorder.

    Called in the transaction that records the results. Idempotent; programs without a cell are
    ignored.

    Cells of programs that were given up or cancelled stop waiting for a result. With a `cause`,
    the elections name it instead of the batch.
    """
    finished_by_key = {task.key: task for task in finished}
    for key in _still_needed(
        [key for key, task in finished_by_key.items() if task.state == State.CANCELLED]
    ):
        del finished_by_key[key]
    if not finished_by_key:
        return
    cells = list(
        Cell.objects.filter(key__in=list(finished_by_key))
        .select_for_update(no_key=True, of=("self",))
        .select_related("implementation")
        .only(*_CELL_FIELDS, "test", "implementation__function", "implementation__state")
        .order_by("id")
    )
    new = {cell.pk for cell in cells if cell.result_key is None}
    changed = [
        cell for cell in cells if _apply_outcome(cell, finished_by_key[bytes(cell.key or b"")])
    ]
    Cell.objects.bulk_create(
        changed,
        update_conflicts=True,
        unique_fields=["implementation", "test"],
        update_fields=_CELL_FIELDS,
    )
    touched = {
        cell.implementation.function_id: finished_by_key[bytes(cell.key or b"")]
        for cell in changed
        if cell.implementation.state == Work.State.PUBLISHED
    }
    # A new verdict may decide the function's election.
    owners = _owners_of({task.batch_id for task in finished_by_key.values()})
    enqueue_follow_ups(
        [
            _reconcile_follow_up(pk, *_trigger_of(task, cause), owners[task.batch_id])
            for pk, task in touched.items()
        ]
    )
    for (pk, batch_id), tests in _failing(new, changed, finished_by_key).items():
        enqueue_failing_notices(pk, tests, owner_id=owners[batch_id])


def _owners_of(batch_ids: Collection[int]) -> dict[int, int | None]:
    return dict(Batch.objects.filter(pk__in=batch_ids).values_list("pk", "owner"))


def _failing(
    new: Collection[int], cells: Iterable[Cell], finished: Mapping[bytes, FinishedTask]
) -> dict[tuple[int, int], set[int]]:
    """Return the tests that cells without a former result did not pass.

    Keyed by the function and the batch of the run.
    """
    failing: dict[tuple[int, int], set[int]] = {}
    for cell in cells:
        if cell.pk in new and cell.test_id and cell.result_key and cell.verdict != "passed":
            place = cell.implementation.function_id, finished[bytes(cell.result_key)].batch_id
            failing.setdefault(place, set()).add(cell.test_id)
    return failing


def _still_needed(keys: Collection[bytes]) -> set[bytes]:
    """Return those of these cancelled programs that an open task of another batch will record."""
    if not keys:
        return set()
    tasks = Task.objects.filter(
        execution__key__in=keys, batch__recorder=RECORDER, state__in=OPEN_STATES
    )
    return {bytes(key) for key in tasks.values_list("execution__key", flat=True)}


def _trigger_of(task: FinishedTask, cause: str) -> tuple[dict[str, Any], int | None]:
    """Return the arguments and batch of the follow-up; a cancelled batch is only named as cause."""
    if cause:
        return {"cause": cause}, None
    if task.state == State.CANCELLED:
        return {"cause": f"run {task.batch_id} cancelled"}, None
    return {}, task.batch_id


_CELL_FIELDS = ["key", "result_key", "verdict", "given_up", "message", "line", "cpu_us", "carried"]


def _apply_outcome(cell: Cell, task: FinishedTask) -> bool:
    """Write the outcome into the cell; return whether that changed anything."""
    has_result = bytes(cell.result_key or b"") == task.key
    if task.state != State.SUCCEEDED:
        was_known, cell.given_up = cell.given_up or has_result, not has_result
        return not was_known
    is_shown = has_result and not cell.given_up
    if is_shown and (cell.verdict, cell.line) == (task.verdict, task.line):
        return False
    cell.result_key = task.key
    cell.verdict = task.verdict or ""
    cell.message = task.message[:MAX_MESSAGE_LENGTH]
    cell.line = task.line
    cell.cpu_us = task.cpu_us
    cell.given_up = cell.carried = False
    return True


def results_in_use(keys: Sequence[bytes]) -> list[bytes]:
    """Return the keys whose results cells use, current or former; a retention rule."""
    meant = Cell.objects.filter(key__in=keys).values_list("key", flat=True)
    # A separate query, which uses a partial index.
    older = Cell.objects.filter(~Q(result_key=F("key")), result_key__in=keys)
    found = meant.union(older.values_list("result_key", flat=True))
    return [bytes(key) for key in found if key is not None]


class ReconcileRequest(NamedTuple):
    """Arguments of `enqueue_reconcile`. `changed_by` are the functions whose change causes it."""

    function_ids: Iterable[int]
    cause: str
    depth: int = 0
    batch: Batch | None = None
    changed_by: Collection[int] = ()
    actor: int | None = None
    owner: int | None = None
    changes: Collection[int] = ()


def enqueue_reconcile(
    function_ids: Iterable[int],
    *,
    cause: str,
    depth: int = 0,
    batch: Batch | None = None,
    actor: int | None = None,
    owner: int | None = None,
    changes: Collection[int] = (),
) -> None:
    """Enqueue elections of these functions, to be held after the transaction.

    `actor` is the user who caused it, if not the batch's owner. The follow-ups are queued as
    `owner`'s, else as the actor's. `changes` are the functions whose elections led to this.
    """
    request = ReconcileRequest(
        function_ids, cause, depth, batch, actor=actor, owner=owner, changes=changes
    )
    enqueue_reconcile_requests([request])


def enqueue_reconcile_requests(requests: Iterable[ReconcileRequest]) -> None:
    """Enqueue elections for many causes, in one query."""
    wanted = []
    for function_ids, cause, depth, batch, changed_by, actor, owner, changes in requests:
        arguments = {"cause": cause, "depth": depth, "by": list(changed_by), "actor": actor}
        arguments["changes"] = sorted(changes)
        wanted += [
            _reconcile_follow_up(pk, arguments, batch.pk if batch else None, owner or actor)
            for pk in dict.fromkeys(function_ids)
        ]
    enqueue_follow_ups(wanted)


def pending_changes(function_ids: Iterable[int]) -> dict[int, set[int]]:
    """Return for each function those whose changes it has not been reconciled with yet."""
    changes: dict[int, set[int]] = {pk: set() for pk in function_ids}
    if changes:
        waiting = FollowUp.objects.filter(name=RECONCILE, target__in=[str(pk) for pk in changes])
        for target, changed_by in waiting.values_list("target", "arguments__by"):
            changes[int(target)].update(changed_by or ())
    return changes


def _reconcile_follow_up(
    function_id: int, arguments: dict[str, Any], batch_id: int | None, owner_id: int | None = None
) -> NewFollowUp:
    return NewFollowUp(
        name=RECONCILE,
        target=str(function_id),
        arguments=arguments,
        batch_id=batch_id,
        owner_id=owner_id,
    )
