"""Updates the keys of cells, and schedules the programs that have no result yet."""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from functions.contests.carryover import find_provisional, former_versions
from functions.contests.cells import KnownResult, StoredCell, load_cells, load_results, write_cells
from functions.contests.contest import Contest, Pair
from functions.contests.evaluation import LOWEST_PRIORITY, RECORDER, all_pairs, cell_rows
from functions.contests.programs import Keys, ProgramBuilder, build_programs
from functions.contests.rules import CellResult, election_order
from functions.elections.triggers import Trigger
from runner.batches.submission import ChildBatch, submit_child_batches
from runner.models import Batch, Execution, Task
from runner.programs.program import PreparedProgram
from runner.states import OPEN_STATES, BatchState, State

CASCADE_PRIORITY = 1


class _MissingPrograms(NamedTuple):
    """Pairs of a contest whose programs are not scheduled yet."""

    contest: Contest
    builder: ProgramBuilder
    pairs: list[Pair]
    carried: set[Pair]  # pairs with a provisional result, which only needs confirmation


class Refreshed(NamedTuple):
    """The cells of a contest after an update."""

    cell_results: dict[Pair, CellResult]
    rekeyed: Keys  # pairs whose program changed
    obsolete: set[bytes]  # keys of unfinished programs that no cell needs
    batch: Batch | None  # that runs the missing programs


class _CellDiff(NamedTuple):
    """The expected keys of a contest's cells, and how the stored ones differ."""

    contest: Contest
    builder: ProgramBuilder
    keys: Keys
    rekeyed: Keys
    obsolete: set[bytes]
    carried: set[Pair]


def refresh_cells(
    contests: Sequence[Contest], triggers: Mapping[int, Trigger], deferred: Collection[int]
) -> list[Refreshed]:
    """Set cells to their current programs, and schedule those without a result.

    Nothing is scheduled for `deferred` functions. Triggers are by function.

    Takes as many queries for many contests as for one. The caller holds their functions' rows.
    """
    cells = load_cells(contests)
    versions = former_versions()
    diffs = [_diff_cells(contest, cells, versions) for contest in contests]
    meant = {key for diff in diffs for key in diff.keys.values()}
    diffs = [diff._replace(obsolete=diff.obsolete - meant) for diff in diffs]
    rekeyed = {pair: key for diff in diffs for pair, key in diff.rekeyed.items()}
    changed = rekeyed | _find_unscheduled(diffs, cells)
    wanted = {key for key in changed.values() if key}
    if to_lock := wanted.union(*(diff.obsolete for diff in diffs)):
        _lock_executions(to_lock)
    scheduled = _scheduled_keys(contests) if wanted else set()
    results = load_results(wanted)
    unscheduled_keys = (
        wanted - scheduled - results.keys() - {c.key for c in cells.values() if c.given_up}
    )
    batches = (
        _schedule(
            [
                one
                for one in _find_missing(diffs, changed, unscheduled_keys, cells)
                if one.contest.function.pk not in deferred
            ],
            triggers,
        )
        if unscheduled_keys
        else {}
    )
    found = {pair: key for pair, key in changed.items() if pair in rekeyed or key in results}
    write_cells(found, cells, results, set[Pair]().union(*(diff.carried for diff in diffs)))
    return [
        Refreshed(
            _cell_results(diff, cells, results),
            diff.rekeyed,
            diff.obsolete,
            batches.get(diff.contest.function.pk),
        )
        for diff in diffs
    ]


def _diff_cells(
    contest: Contest, cells: Mapping[Pair, StoredCell], versions: Collection[str]
) -> _CellDiff:
    builder = ProgramBuilder(contest)
    keys = builder.keys(all_pairs(contest))
    rekeyed = {pair: key for pair, key in keys.items() if _has_other_program(cells.get(pair), key)}
    stale = {cells[pair].key for pair in rekeyed if pair in cells and cells[pair].is_pending}
    carried = find_provisional(contest, cells, rekeyed, versions)
    return _CellDiff(contest, builder, keys, rekeyed, stale, carried)


def _find_unscheduled(diffs: Sequence[_CellDiff], cells: Mapping[Pair, StoredCell]) -> Keys:
    """Return pending cells whose program isn't scheduled.

    It was deferred while a dependency was being judged, or has been superseded since.
    """
    pending: Keys = {
        pair: cells[pair].key
        for diff in diffs
        for pair in diff.keys.keys() - diff.rekeyed.keys()
        if cells[pair].is_pending
    }
    scheduled = _scheduled_keys([diff.contest for diff in diffs]) if pending else set()
    return {pair: key for pair, key in pending.items() if key not in scheduled}


def _find_missing(
    diffs: Iterable[_CellDiff],
    changed: Keys,
    unscheduled_keys: Container[bytes | None],
    cells: Mapping[Pair, StoredCell],
) -> Iterator[_MissingPrograms]:
    for diff in diffs:
        own = diff.keys.keys() & changed.keys()
        unscheduled = {pair for pair in own - diff.rekeyed.keys() if cells[pair].carried}
        if missing := [
            pair for pair in diff.keys if pair in own and changed[pair] in unscheduled_keys
        ]:
            yield _MissingPrograms(diff.contest, diff.builder, missing, diff.carried | unscheduled)


def _cell_results(
    diff: _CellDiff, cells: Mapping[Pair, StoredCell], results: Mapping[bytes, KnownResult]
) -> dict[Pair, CellResult]:
    return {
        pair: cells[pair].result
        if key not in results and (pair in diff.carried or pair not in diff.rekeyed)
        else _new_result(results.get(key or b""))
        for pair, key in diff.keys.items()
    }


def _has_other_program(cell: StoredCell | None, key: bytes | None) -> bool:
    return cell is None or cell.key != (key or b"")


def _new_result(result: KnownResult | None) -> CellResult:
    return (
        CellResult(result.verdict, False, result.message, result.cpu_us) if result else CellResult()
    )


def _scheduled_keys(contests: Iterable[Contest]) -> set[bytes]:
    """Return the keys of these functions' programs that have an open task."""
    tasks = Task.objects.filter(
        batch__topic__name__in=[contest.function.topic for contest in contests],
        batch__state=BatchState.OPEN,
        batch__recorder=RECORDER,
        state__in=OPEN_STATES,
    )
    return {bytes(key) for key in tasks.values_list("execution__key", flat=True)}


def _lock_executions(keys: Collection[bytes]) -> None:
    """Lock the unfinished executions of these programs, in key order as everywhere.

    Their recorder has either committed, so that its result is visible from now on, or waits until
    the cells are written and finds them: no verdict is lost in between. Executions to be requested
    or stopped are locked here as well, as locking them later would break the order.
    """
    unfinished = Execution.objects.filter(key__in=keys).exclude(state=State.SUCCEEDED)
    list(unfinished.order_by("key").select_for_update(no_key=True).values_list("pk"))


def _schedule(
    missing: Sequence[_MissingPrograms], triggers: Mapping[int, Trigger]
) -> dict[int, Batch]:
    """Submit missing programs; return the batches by function."""
    programs = build_programs([(one.builder, one.pairs) for one in missing])
    batches = submit_child_batches(
        [
            _child_batch(triggers[one.contest.function.pk], one, built)
            for one, built in zip(missing, programs, strict=True)
        ]
    )
    return {one.contest.function.pk: batch for one, batch in zip(missing, batches, strict=True)}


def _child_batch(
    trigger: Trigger, missing: _MissingPrograms, programs: Mapping[Pair, PreparedProgram]
) -> ChildBatch:
    """Return the child batch of one function, with the best candidate's programs first."""
    distinct = {program.key: program for program in programs.values()}
    return ChildBatch(
        topic=missing.contest.function.topic,
        programs=list(distinct.values()),
        cause=trigger.cause[:100],
        recorder=RECORDER,
        parent=trigger.batch,
        priority=CASCADE_PRIORITY,
        priorities=_lower_priorities(missing.contest, programs, missing.carried),
        announcement={"cells": cell_rows({pair: each.key for pair, each in programs.items()})},
    )


def _lower_priorities(
    contest: Contest, programs: Mapping[Pair, PreparedProgram], carried: Collection[Pair]
) -> dict[bytes, int]:
    """Return the priority of each program, by the rank of its candidate.

    Confirmation of provisional results comes last.
    """
    missing = {pk for pk, test in programs if (pk, test) not in carried}
    ranked = election_order(work for work in contest.implementations if work.pk in missing)
    places = {work.pk: CASCADE_PRIORITY + place for place, work in enumerate(ranked)}
    priorities: dict[bytes, int] = {}
    for pair, program in programs.items():
        own = LOWEST_PRIORITY if pair in carried else min(places[pair[0]], LOWEST_PRIORITY)
        priorities[program.key] = min(own, priorities.get(program.key, own))
    return priorities
