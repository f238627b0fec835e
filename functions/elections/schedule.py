"""Submits the missing programs of elections, best candidates first."""

from collections.abc import Collection, Mapping, Sequence

from functions.contests.contest import Contest, Pair
from functions.contests.evaluation import LOWEST_PRIORITY, RECORDER, cell_rows
from functions.contests.programs import build_programs
from functions.contests.refresh import MissingPrograms
from functions.elections.triggers import Trigger
from runner.batches.submission import ChildBatch, submit_child_batches
from runner.models import Batch
from runner.programs.program import PreparedProgram

CASCADE_PRIORITY = 1


def schedule_missing(
    triggers: Mapping[int, Trigger], deferred: Collection[int], missing: Sequence[MissingPrograms]
) -> dict[int, Batch]:
    """Submit missing programs, except of deferred functions; return the batches by function."""
    due = [one for one in missing if one.contest.function.pk not in deferred]
    programs = build_programs([(one.builder, one.pairs) for one in due])
    batches = submit_child_batches(
        [
            _child_batch(triggers[one.contest.function.pk], one, built)
            for one, built in zip(due, programs, strict=True)
        ]
    )
    return {one.contest.function.pk: batch for one, batch in zip(due, batches, strict=True)}


def _child_batch(
    trigger: Trigger, missing: MissingPrograms, programs: Mapping[Pair, PreparedProgram]
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
    ranked = sorted(
        (work for work in contest.implementations if work.pk in missing),
        key=lambda work: (work.score, work.published_at, work.pk),
        reverse=True,
    )
    places = {work.pk: CASCADE_PRIORITY + place for place, work in enumerate(ranked)}
    priorities: dict[bytes, int] = {}
    for pair, program in programs.items():
        own = LOWEST_PRIORITY if pair in carried else min(places[pair[0]], LOWEST_PRIORITY)
        priorities[program.key] = min(own, priorities.get(program.key, own))
    return priorities
