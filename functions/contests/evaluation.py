"""Programs out, verdicts in: what the squares of the quilt mean, and what came of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import F, Q

from functions.contests.cells import LONGEST_MESSAGE, load_results, write_cells
from functions.contests.contest import Contest, Pair
from functions.contests.programs import Meanings
from functions.errors import TooOften
from functions.models import Cell, Implementation, Test, Work
from functions.notifications.watches import tell_failing_soon
from runner.batches.submission import submit_batch
from runner.errors import QuotaExceeded
from runner.models import Batch, FollowUp, Task
from runner.pipelines.follow_up_queue import NewFollowUp
from runner.pipelines.outbox import enqueue_follow_up, enqueue_follow_ups
from runner.programs.program import PreparedProgram
from runner.registry import FinishedTask
from runner.states import OPEN_STATES, State

RECORDER = "functions.cells"
SETTLE = "functions.settle"
QUEUE_LOOKED_AT_SECONDS = 60
# Of what nothing waits for: candidates far behind, and results that count until they are confirmed.
LOWEST_PRIORITY = 9


def pairs_with(contest: Contest, work: Implementation | Test) -> list[Pair]:
    """Return the squares that this work takes part in; an implementation is also tried alone."""
    if isinstance(work, Implementation):
        return [(work.pk, None), *((work.pk, test.pk) for test in contest.tests)]
    return [(implementation.pk, work.pk) for implementation in contest.implementations]


def all_pairs(contest: Contest) -> list[Pair]:
    """Return all squares of the function.

    An implementation that goes round with functions elected together with this one has some with
    their tests as well, as it is to take the place of the one that they were elected with.
    """
    own = [pair for work in contest.implementations for pair in pairs_with(contest, work)]
    theirs = [test.pk for other in contest.others if other.has_choice for test in other.tests]
    if not contest.circle or not theirs:
        return own
    others = [work for work in contest.implementations if work.pk != contest.choice]
    round_about = [work.pk for work in others if contest.closure_of(work).company]
    return [*own, *((pk, test) for pk in round_about for test in theirs)]


def cell_rows(keys: Mapping[Pair, bytes | None]) -> list[list[Any]]:
    """Return the squares as events tell them: [implementation, test or null, key or null]."""
    return [[pk, test_pk, key.hex() if key else None] for (pk, test_pk), key in keys.items()]


def submit_pairs(programs: Mapping[Pair, PreparedProgram], **options: Any) -> Batch:
    """Submit what the pairs mean, each program once; options as of `submit_batch`.

    Refuses what is too much for its owner, of whom enough is waiting already.
    """
    distinct = {program.key: program for program in programs.values()}
    told = cell_rows({pair: program.key for pair, program in programs.items()})
    try:
        return submit_batch(
            programs=list(distinct.values()), announcement={"cells": told}, **options
        )
    except QuotaExceeded as error:
        raise TooOften(str(error), retry_after_seconds=QUEUE_LOOKED_AT_SECONDS) from error


def submit_work(
    contest: Contest, work: Implementation | Test, *, cause: str, owner: User, request_key: str
) -> Batch:
    """Have everything run that a newly published work takes part in; returns the batch.

    The caller holds the function's row.
    """
    meanings = Meanings(contest, work=work)
    keys = meanings.keys(pairs_with(contest, work))
    batch = submit_pairs(
        meanings.programs([pair for pair, key in keys.items() if key]),
        topic=contest.function.topic,
        owner=owner,
        cause=cause,
        recorder=RECORDER,
        request_key=request_key,
    )
    write_cells(keys, {}, load_results({key for key in keys.values() if key}))
    enqueue_follow_up(SETTLE, str(contest.function.pk), batch=batch, arguments={"cause": cause})
    if isinstance(work, Test):  # what it comes to may be known, and then nobody records it
        tell_failing_soon(contest.function.pk, [work.pk], owner_id=owner.pk)
    return batch


def record_verdicts(finished: Sequence[FinishedTask], *, cause: str = "") -> None:
    """Write verdicts into the squares that mean these programs now; a recorder.

    Called in the transaction that records the results. A program that nobody means any more
    changes nothing. Telling it twice does no harm.

    What was given up, or cancelled by somebody, is to come no more: it is not waited for. With a
    `cause` the elections name that, and no batch.
    """
    told = {task.key: task for task in finished}
    for key in _wanted_still([key for key, task in told.items() if task.state == State.CANCELLED]):
        del told[key]
    if not told:
        return
    cells = list(
        Cell.objects.filter(key__in=list(told))
        .select_for_update(no_key=True, of=("self",))
        .select_related("implementation")
        .only(*_CELL_FIELDS, "test", "implementation__function", "implementation__state")
        .order_by("id")
    )
    new = {cell.pk for cell in cells if cell.result_key is None}
    changed = [cell for cell in cells if _fill(cell, told[bytes(cell.key or b"")])]
    Cell.objects.bulk_create(
        changed,
        update_conflicts=True,
        unique_fields=["implementation", "test"],
        update_fields=_CELL_FIELDS,
    )
    touched = {
        cell.implementation.function_id: told[bytes(cell.key or b"")]
        for cell in changed
        if cell.implementation.state == Work.State.PUBLISHED
    }
    # Each has an election held: a new verdict may decide it.
    owners = _owners_of({task.batch_id for task in told.values()})
    enqueue_follow_ups(
        [
            _election_due(pk, *_occasion_of(task, cause), owners[task.batch_id])
            for pk, task in touched.items()
        ]
    )
    for (pk, batch_id), tests in _failing(new, changed, told).items():
        tell_failing_soon(pk, tests, owner_id=owners[batch_id])


def _owners_of(batch_ids: Collection[int]) -> dict[int, int | None]:
    return dict(Batch.objects.filter(pk__in=batch_ids).values_list("pk", "owner"))


def _failing(
    new: Collection[int], cells: Iterable[Cell], told: Mapping[bytes, FinishedTask]
) -> dict[tuple[int, int], set[int]]:
    """Return the tests that these, which had no result before, have not passed.

    By the function and the batch of the run.
    """
    failing: dict[tuple[int, int], set[int]] = {}
    for cell in cells:
        if cell.pk in new and cell.test_id and cell.result_key and cell.verdict != "passed":
            place = cell.implementation.function_id, told[bytes(cell.result_key)].batch_id
            failing.setdefault(place, set()).add(cell.test_id)
    return failing


def _wanted_still(keys: Collection[bytes]) -> set[bytes]:
    """Return those of these programs, cancelled in one batch, that another is to record yet."""
    if not keys:
        return set()
    tasks = Task.objects.filter(
        execution__key__in=keys, batch__recorder=RECORDER, state__in=OPEN_STATES
    )
    return {bytes(key) for key in tasks.values_list("execution__key", flat=True)}


def _occasion_of(task: FinishedTask, cause: str) -> tuple[dict[str, Any], int | None]:
    """Return the arguments and batch of a follow-up on this; a cancelled batch causes no more."""
    if cause:
        return {"cause": cause}, None
    if task.state == State.CANCELLED:
        return {"cause": f"run {task.batch_id} cancelled"}, None
    return {}, task.batch_id


_CELL_FIELDS = ["key", "result_key", "verdict", "given_up", "message", "line", "cpu_us", "carried"]


def _fill(cell: Cell, task: FinishedTask) -> bool:
    """Put the outcome into the square; false if it is there already."""
    has_result = bytes(cell.result_key or b"") == task.key
    if task.state != State.SUCCEEDED:
        was_known, cell.given_up = cell.given_up or has_result, not has_result
        return not was_known
    is_shown = has_result and not cell.given_up
    if is_shown and (cell.verdict, cell.line) == (task.verdict, task.line):
        return False
    cell.result_key = task.key
    cell.verdict = task.verdict or ""
    cell.message = task.message[:LONGEST_MESSAGE]
    cell.line = task.line
    cell.cpu_us = task.cpu_us
    cell.given_up = cell.carried = False
    return True


def keep_results(keys: Sequence[bytes]) -> list[bytes]:
    """Return those of these keys that squares mean, or show the results of; a keeper."""
    meant = Cell.objects.filter(key__in=keys).values_list("key", flat=True)
    # Asked for by themselves, as these few have an index of their own.
    older = Cell.objects.filter(~Q(result_key=F("key")), result_key__in=keys)
    found = meant.union(older.values_list("result_key", flat=True))
    return [bytes(key) for key in found if key is not None]


class Telling(NamedTuple):
    """What `settle_soon` is called with; `by` are the functions that tell, as they have changed.

    It is `owner`'s turn, if not the actor's or the batch's.
    """

    function_ids: Iterable[int]
    cause: str
    depth: int = 0
    batch: Batch | None = None
    by: Collection[int] = ()
    actor: int | None = None
    owner: int | None = None
    changes: Collection[int] = ()


def settle_soon(
    function_ids: Iterable[int],
    *,
    cause: str,
    depth: int = 0,
    batch: Batch | None = None,
    actor: int | None = None,
    owner: int | None = None,
    changes: Collection[int] = (),
) -> None:
    """Have elections held for these functions after the transaction.

    `actor` is whose doing it is, if it isn't that of the batch's owner. It is `owner`'s turn, or
    else the actor's. `changes` are the functions whose changed elections have led to this.
    """
    telling = Telling(function_ids, cause, depth, batch, actor=actor, owner=owner, changes=changes)
    settle_all_soon([telling])


def settle_all_soon(tellings: Iterable[Telling]) -> None:
    """Do so for many causes, in one query."""
    wanted = []
    for function_ids, cause, depth, batch, by, actor, owner, changes in tellings:
        arguments = {"cause": cause, "depth": depth, "by": list(by), "actor": actor}
        arguments["changes"] = sorted(changes)
        wanted += [
            _election_due(pk, arguments, batch.pk if batch else None, owner or actor)
            for pk in dict.fromkeys(function_ids)
        ]
    enqueue_follow_ups(wanted)


def tellers_of(function_ids: Iterable[int]) -> dict[int, set[int]]:
    """Return the functions that have told each of these of a change that it has not heeded yet."""
    tellers: dict[int, set[int]] = {pk: set() for pk in function_ids}
    if tellers:
        waiting = FollowUp.objects.filter(name=SETTLE, target__in=[str(pk) for pk in tellers])
        for target, by in waiting.values_list("target", "arguments__by"):
            tellers[int(target)].update(by or ())
    return tellers


def _election_due(
    function_id: int, arguments: dict[str, Any], batch_id: int | None, owner_id: int | None = None
) -> NewFollowUp:
    return NewFollowUp(
        name=SETTLE,
        target=str(function_id),
        arguments=arguments,
        batch_id=batch_id,
        owner_id=owner_id,
    )
