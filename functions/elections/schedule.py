"""What elections have run: the programs of squares that nobody has asked for yet."""

from collections.abc import Collection, Mapping, Sequence

from functions.contests.contest import Contest, Pair
from functions.contests.evaluation import LOWEST_PRIORITY, RECORDER, cell_rows
from functions.contests.programs import build_programs
from functions.contests.refresh import Missing
from functions.elections.triggers import Occasion
from runner.batches.submission import ChildBatch, submit_child_batches
from runner.models import Batch
from runner.programs.program import PreparedProgram

CASCADE_PRIORITY = 1


def ask(
    occasions: Mapping[int, Occasion], deferred: Collection[int], missing: Sequence[Missing]
) -> dict[int, Batch]:
    """Have this run, but for functions that are deferred; return the batches by function."""
    due = [one for one in missing if one.contest.function.pk not in deferred]
    programs = build_programs([(one.meanings, one.pairs) for one in due])
    batches = submit_child_batches(
        [
            _sequel(occasions[one.contest.function.pk], one, built)
            for one, built in zip(due, programs, strict=True)
        ]
    )
    return {one.contest.function.pk: batch for one, batch in zip(due, batches, strict=True)}


def _sequel(
    occasion: Occasion, missing: Missing, programs: Mapping[Pair, PreparedProgram]
) -> ChildBatch:
    """Return what is to be run of one function: first for the candidate that would win."""
    distinct = {program.key: program for program in programs.values()}
    return ChildBatch(
        topic=missing.contest.function.topic,
        programs=list(distinct.values()),
        cause=occasion.cause[:100],
        recorder=RECORDER,
        parent=occasion.batch,
        priority=CASCADE_PRIORITY,
        priorities=_later(missing.contest, programs, missing.carried),
        announcement={"cells": cell_rows({pair: each.key for pair, each in programs.items()})},
    )


def _later(
    contest: Contest, programs: Mapping[Pair, PreparedProgram], carried: Collection[Pair]
) -> dict[bytes, int]:
    """Return the priorities of what is behind the first candidate, in the order of election.

    Last comes what is only to be confirmed.
    """
    wanting = {pk for pk, test in programs if (pk, test) not in carried}
    ranked = sorted(
        (work for work in contest.implementations if work.pk in wanting),
        key=lambda work: (work.score, work.published_at, work.pk),
        reverse=True,
    )
    places = {work.pk: CASCADE_PRIORITY + place for place, work in enumerate(ranked)}
    priorities: dict[bytes, int] = {}
    for pair, program in programs.items():
        own = LOWEST_PRIORITY if pair in carried else min(places[pair[0]], LOWEST_PRIORITY)
        priorities[program.key] = min(own, priorities.get(program.key, own))
    return priorities
