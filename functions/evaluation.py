"""Programs out, verdicts in: what the squares of the quilt mean, and what came of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User

from functions.contests import Contest, Pair
from functions.models import Cell, Implementation, Test, Work
from runner.models import Batch, Execution, Result, Task
from runner.outbox import follow_up
from runner.programs import PreparedProgram
from runner.registry import Finished
from runner.states import OPEN_STATES, State
from runner.submission import submit_batch

RECORDER = "functions.cells"
SETTLE = "functions.settle"
LONGEST_MESSAGE = 500  # as the column; all of it stands in the result

Programs = dict[Pair, PreparedProgram | None]


def pairs_with(contest: Contest, work: Implementation | Test) -> list[Pair]:
    """Return the squares that this work takes part in; an implementation is also tried alone."""
    if isinstance(work, Implementation):
        return [(work.pk, None), *((work.pk, test.pk) for test in contest.tests)]
    return [(implementation.pk, work.pk) for implementation in contest.implementations]


def all_pairs(contest: Contest) -> list[Pair]:
    """Return all squares of the function."""
    return [pair for work in contest.implementations for pair in pairs_with(contest, work)]


def build_programs(
    contest: Contest, pairs: Iterable[Pair], *, draft: Implementation | Test | None = None
) -> Programs:
    """Build what each pair means now; None where something is missing or goes in circles."""
    works = [*contest.implementations, *contest.tests, *([draft] if draft else [])]
    implementations = {work.pk: work for work in works if isinstance(work, Implementation)}
    tests = {work.pk: work for work in works if isinstance(work, Test)}
    circular = {pk for pk, work in implementations.items() if contest.closure_of(work).round_trip}
    return {
        (pk, test_pk): None
        if pk in circular
        else contest.program(implementations[pk], tests[test_pk] if test_pk else None)
        for pk, test_pk in pairs
    }


def cell_rows(programs: Mapping[Pair, PreparedProgram | None]) -> list[list[Any]]:
    """Return the squares as events tell them: [implementation, test or null, key or null]."""
    return [[pk, test_pk, p.key.hex() if p else None] for (pk, test_pk), p in programs.items()]


def submit_pairs(programs: Mapping[Pair, PreparedProgram | None], **options: Any) -> Batch:
    """Submit what the pairs mean, each program once; options as of `submit_batch`."""
    distinct = {program.key: program for program in programs.values() if program}
    built = {pair: program for pair, program in programs.items() if program}
    return submit_batch(
        programs=list(distinct.values()), announcement={"cells": cell_rows(built)}, **options
    )


def refresh_cells(
    contest: Contest, work: Implementation | Test, *, cause: str, owner: User, request_key: str
) -> Batch:
    """Have everything run that a newly published work takes part in; returns the batch.

    The caller holds the function's row.
    """
    programs = build_programs(contest, pairs_with(contest, work))
    batch = submit_pairs(
        programs,
        topic=contest.function.topic,
        owner=owner,
        cause=cause,
        recorder=RECORDER,
        request_key=request_key,
    )
    write_cells(programs)
    follow_up(SETTLE, str(contest.function.pk), batch=batch, arguments={"cause": cause})
    return batch


def write_cells(programs: Programs) -> tuple[dict[Pair, Cell], bool]:
    """Give the squares their present keys, with the results that there are for them already.

    Return the squares, and whether any of them means another program than before.

    The caller holds the function's row, so nobody else adds squares. Programs are submitted
    before: whatever has a result by then is found here, and what gets one later is recorded.
    """
    implementations = {pk for pk, _ in programs}
    rows = Cell.objects.select_for_update(no_key=True, of=("self",)).order_by("id")
    cells = {
        (row.implementation_id, row.test_id): row
        for row in rows.filter(implementation__in=implementations)
    }
    added: list[Cell] = []
    changed: list[Cell] = []
    is_rekeyed = False
    results = _results_for(programs, cells)
    for pair, program in programs.items():
        key = program.key if program else b""
        cell = cells.get(pair)
        if cell is None:
            cell = cells[pair] = Cell(implementation_id=pair[0], test_id=pair[1])
            added.append(cell)
        elif _bytes(cell.key) != key or key in results:
            changed.append(cell)
        is_rekeyed |= _rekey(cell, key, results.get(key))
    Cell.objects.bulk_create(added, batch_size=500)
    Cell.objects.bulk_update(changed, _CELL_FIELDS, batch_size=500)
    return {pair: cells[pair] for pair in programs}, is_rekeyed or bool(added)


_CELL_FIELDS = ["key", "result_key", "verdict", "given_up", "message", "line", "cpu_us"]


def _rekey(cell: Cell, key: bytes, result: Mapping[str, Any] | None) -> bool:
    """Let the square mean this program (none where empty); tell whether it meant another."""
    is_new = _bytes(cell.key) != key
    if is_new:
        cell.key = key or None
        cell.given_up = False
    if result is not None:
        cell.result_key = key
        cell.verdict = result["verdict"]
        cell.message = result["message"][:LONGEST_MESSAGE]
        cell.line = result["line"]
        cell.cpu_us = result["cpu_us"]
        cell.given_up = False
    return is_new


def _results_for(programs: Programs, cells: Mapping[Pair, Cell]) -> dict[bytes, Mapping[str, Any]]:
    """Look up results for keys that their squares don't show yet."""
    wanted = {
        program.key
        for pair, program in programs.items()
        if program and (pair not in cells or _bytes(cells[pair].result_key) != program.key)
    }
    found = Result.objects.filter(execution__key__in=wanted) if wanted else Result.objects.none()
    rows = found.values("execution__key", "verdict", "message", "line", "cpu_us")
    return {bytes(row["execution__key"]): row for row in rows}


def find_unasked(programs: Programs) -> Programs:
    """Return those programs that nobody has recorded, given up on, or is about to record.

    Executions without a result are held, in key order as everybody does: a recorder of one
    either has committed, and its result is seen here, or waits until the squares are written and
    finds them. Without that a verdict could fall between the two. Those that were dropped are
    held as well, or submitting them anew would lock keys out of order.
    """
    keys = {program.key for program in programs.values() if program}
    if not keys:
        return {}
    unfinished = Execution.objects.filter(key__in=keys).exclude(state=State.SUCCEEDED)
    list(unfinished.order_by("key").select_for_update(no_key=True).values_list("pk"))
    known = Result.objects.filter(execution__key__in=keys).values_list("execution__key", flat=True)
    awaited = Task.objects.filter(
        execution__key__in=keys, state__in=OPEN_STATES, batch__recorder=RECORDER
    ).values_list("execution__key", flat=True)
    given_up = Cell.objects.filter(key__in=keys, given_up=True).values_list("key", flat=True)
    settled = {_bytes(key) for rows in (known, awaited, given_up) for key in rows}
    return {
        pair: program
        for pair, program in programs.items()
        if program and program.key not in settled
    }


def record_verdicts(finished: Sequence[Finished]) -> None:
    """Write verdicts into the squares that mean these programs now; a recorder.

    Called in the transaction that records the results. A program that nobody means any more
    changes nothing. Telling it twice does no harm.
    """
    told = {task.key: task for task in finished if task.state in (State.SUCCEEDED, State.IGNORED)}
    if not told:
        return
    cells = list(
        Cell.objects.filter(key__in=list(told))
        .select_for_update(no_key=True, of=("self",))
        .select_related("implementation")
        .defer("implementation__code")
        .order_by("id")
    )
    changed = [cell for cell in cells if _fill(cell, told[_bytes(cell.key)])]
    Cell.objects.bulk_update(changed, _CELL_FIELDS, batch_size=500)
    _settle_touched(changed, told)


def _fill(cell: Cell, task: Finished) -> bool:
    """Put the outcome into the square; false if it is there already."""
    if task.state == State.IGNORED:
        was_known, cell.given_up = cell.given_up, True
        return not was_known
    if _bytes(cell.result_key) == task.key and not cell.given_up:
        return False
    cell.result_key = task.key
    cell.verdict = task.verdict or ""
    cell.message = task.message[:LONGEST_MESSAGE]
    cell.line = task.line
    cell.cpu_us = task.cpu_us
    cell.given_up = False
    return True


def _settle_touched(cells: Sequence[Cell], told: Mapping[bytes, Finished]) -> None:
    """Have an election held for each function that has a new verdict."""
    touched = {
        cell.implementation.function_id: told[_bytes(cell.key)].batch_id
        for cell in cells
        if cell.implementation.state == Work.State.PUBLISHED
    }
    batches = Batch.objects.in_bulk(set(touched.values()))
    for function_id in sorted(touched):
        follow_up(SETTLE, str(function_id), batch=batches[touched[function_id]])


def settle_soon(
    function_ids: Iterable[int],
    *,
    cause: str,
    depth: int = 0,
    batch: Batch | None = None,
) -> None:
    """Have elections held for these functions after the transaction."""
    for function_id in function_ids:
        arguments = {"cause": cause, "depth": depth}
        follow_up(SETTLE, str(function_id), batch=batch, arguments=arguments)


def _bytes(value: bytes | memoryview | None) -> bytes:
    return b"" if value is None else bytes(value)
