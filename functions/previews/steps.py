"""Steps of a preview: find the implementation that dependents would import, then try each with it.

Both are fan-out runs, so after a crash a page is either done or repeated as a whole. The batch of a
run that can't continue is cancelled.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from functions.contests.acceptance_programs import program_of
from functions.contests.loader import load_contest
from functions.contests.private_runs import record_private_runs
from functions.contests.rules import CellResult
from functions.graph.nodes import Link
from functions.graph.queries import dependent_ids, living_functions, transitive_dependents
from functions.models import AcceptanceTest, Dependency, Effect, Function, Preview
from functions.names import name_key
from functions.previews.effects import LookUp, Outcome, predict
from functions.previews.plan import (
    MAX_OTHER_PROGRAMS,
    Hypothesis,
    find_cycle,
    hypothesis_of,
    make_plan,
)
from runner.batches.cancellation import cancel_batches
from runner.batches.quotas import has_quota
from runner.batches.submission import add_tasks, mark_loaded
from runner.models import Batch, FanOut, Result
from runner.pipelines.fan_out import FanOutCancelled, RetryLater, fan_out
from runner.programs.program import PreparedProgram
from runner.registry import FinishedTask, Page
from runner.states import BatchState

RECORDER = "functions.previews"
ITSELF = "functions.preview"
DEPENDENTS = "functions.preview.dependents"
DECIDE = "functions.preview.decide"
TRY = "functions.preview.try"

MAX_PROGRAMS = 2_000
MAX_ACCEPTANCE_TESTS = 100
FUNCTIONS_AT_ONCE = 10
# Delay before a page is repeated because its owner's queue was full.
QUEUE_RETRY_SECONDS = 2.0


def record_previews(finished: Sequence[FinishedTask]) -> None:
    """Continue previews that wait for their own function's election; a recorder.

    Usually no cell has these programs; later cells find the results by key.
    """
    record_private_runs(finished)
    batches = {task.batch_id for task in finished}
    for preview in Preview.objects.filter(batch__in=batches, is_decided=False):
        enqueue_decide(preview)


def enqueue_decide(preview: Preview) -> None:
    """Enqueue the step that decides which implementation dependents would import."""
    _start_fan_out(preview, f"decide:{preview.pk}", ITSELF, DECIDE)


def enqueue_dependents(preview: Preview) -> None:
    """Enqueue trials of all functions that may import the change."""
    near = dependent_ids(preview.function_id)
    cycle_group = living_functions({name_key(name) for name in preview.circle}).values()
    of_group = [
        pk for one in cycle_group for pk in dependent_ids(one.pk) if pk != preview.function_id
    ]
    preview.ahead = list(
        dict.fromkeys([*near, *of_group, *transitive_dependents(preview.function_id)])
    )
    if preview.candidate_id:
        _add_acceptance_tests(preview)
    _start_fan_out(preview, f"try:{preview.pk}", DEPENDENTS, TRY)


def _add_acceptance_tests(preview: Preview) -> None:
    """Add the acceptance tests that dependents have for the function."""
    hypothesis = hypothesis_of(preview)
    tests = AcceptanceTest.objects.select_related("function", "target").filter(
        target=preview.function_id,
        state=AcceptanceTest.State.PUBLISHED,
        function__deleted_at=None,
    )
    ordered = list(tests.order_by("pk"))
    chosen, left_out = ordered[:MAX_ACCEPTANCE_TESTS], ordered[MAX_ACCEPTANCE_TESTS:]
    found: dict[int, PreparedProgram] = {}
    for test in chosen:
        built = program_of(test, supposed=hypothesis.nodes, codes=[hypothesis.code])
        if built.program:
            found[test.pk] = built.program
    programs = {program.key: program for program in found.values()}
    add_tasks(_batch_of(preview), list(programs.values()))
    preview.programs += len(programs)
    preview.acceptance = [
        *([pk, program.key.hex()] for pk, program in found.items()),
        *([test.pk, None] for test in left_out),
    ]


def _start_fan_out(preview: Preview, name: str, source: str, step: str) -> None:
    fan_out(
        f"preview.{name}",
        source=source,
        step=step,
        arguments={"preview": preview.pk},
        page=FUNCTIONS_AT_ONCE,
        batch=preview.batch,
    )


def read_itself(arguments: Mapping[str, Any], cursor: Any, at_most: int) -> Page:  # noqa: ARG001
    """Return the preview's id as the only item; a source."""
    return Page([arguments["preview"]], None)


def read_dependents(arguments: Mapping[str, Any], cursor: int | None, at_most: int) -> Page:
    """Return the next dependents to try; a source."""
    rows = Preview.objects.filter(pk=arguments["preview"])
    ahead: list[int] = rows.values_list("ahead", flat=True).first() or []
    end = (cursor or 0) + at_most
    return Page(ahead[cursor or 0 : end], end if end < len(ahead) else None)


def decide(_items: Sequence[Any], run: FanOut) -> None:
    """Decide which implementation dependents would import, and try them if it changes; a step.

    Does nothing while results are missing.
    """
    preview = _open_preview(run)
    if preview is None:
        finish(run)
        return
    if preview.is_decided:
        raise FanOutCancelled
    own = preview.effects.get(function=preview.function_id)
    look_up = known_results([own], is_over=False)
    forecast = predict(
        own.candidates, own.elected, was_implemented=own.was_implemented, look_up=look_up
    )
    if forecast.outcome == Outcome.WAITING:
        return
    preview.is_decided = True
    if forecast.elected == own.elected:
        mark_loaded(_batch_of(preview))
    else:
        _set_candidate(preview, forecast.elected)
        enqueue_dependents(preview)
    preview.save()


def _set_candidate(preview: Preview, implementation: int | None) -> None:
    preview.candidate_id = implementation
    if preview.candidate is not None:
        preview.code = preview.candidate.module_source
        rows = Dependency.objects.filter(implementation=implementation).order_by("id")
        links = rows.exclude(target=preview.function_id).values_list(
            "name", "target", "is_optional"
        )
        preview.links = [list(link) for link in links]
        preview.circle = find_cycle(preview.function, [Link(*link) for link in links])


def plan_dependents(function_ids: Sequence[int], run: FanOut) -> None:
    """Plan and submit the programs of these functions; a step."""
    preview = _open_preview(run)
    if preview is None:
        return
    hypothesis = hypothesis_of(preview)
    living = Function.objects.filter(deleted_at=None).in_bulk(list(function_ids))
    effects: list[Effect] = []
    programs: dict[bytes, PreparedProgram] = {}
    for pk in function_ids:
        if pk in living:
            room = MAX_PROGRAMS - preview.programs - len(programs)
            effect, more = _plan(preview, living[pk], hypothesis, room)
            effects.append(effect)
            programs.update(more)
    if not has_quota(preview.owner_id, len(programs)):
        raise RetryLater(QUEUE_RETRY_SECONDS)
    Effect.objects.bulk_create(effects)
    add_tasks(_batch_of(preview), list(programs.values()))
    preview.programs += len(programs)
    preview.save(update_fields=["programs"])


def _plan(
    preview: Preview, function: Function, hypothesis: Hypothesis, room: int
) -> tuple[Effect, dict[bytes, PreparedProgram]]:
    contest = load_contest(function)
    builder = hypothesis.apply(contest)
    plan = make_plan(preview, contest, builder, room=room, of_others=MAX_OTHER_PROGRAMS)
    return plan.effect, {program.key: program for program in plan.programs.values()}


def finish(run: FanOut) -> None:
    """Mark the batch as loaded, so that the preview ends with its runs."""
    for batch in _batches(run):
        mark_loaded(batch)


def give_up(run: FanOut) -> None:
    """Cancel the batch of a preview that can't be completed."""
    cancel_batches(_batches(run))


def known_results(
    effects: Sequence[Effect], *, is_over: bool, also: Collection[str | None] = ()
) -> LookUp:
    """Return a lookup of results of these effects' programs, and of `also`, read in one query.

    Programs that were left out, or have no result when the preview is over, count as given up.
    """
    keys = {
        bytes.fromhex(key)
        for effect in effects
        for candidate in effect.candidates
        for key in candidate.get("needed", {}).values()
        if key
    } | {bytes.fromhex(key) for key in also if key}
    rows = Result.objects.filter(execution__key__in=keys) if keys else Result.objects.none()
    found = {
        bytes(key).hex(): CellResult(verdict, message=message)
        for key, verdict, message in rows.values_list("execution__key", "verdict", "message")
    }

    def look_up(key: str | None) -> CellResult:
        return found.get(key or "") or CellResult(given_up=is_over or key is None)

    return look_up


def _open_preview(run: FanOut) -> Preview | None:
    """Lock the run's batch and return its preview; None if its draft was discarded.

    Stops the run if the batch was cancelled or is loaded.
    """
    open_batches = _batches(run).filter(state=BatchState.OPEN, all_tasks_loaded=False)
    if open_batches.select_for_update(no_key=True, of=("self",)).first() is None:
        raise FanOutCancelled
    previews = Preview.objects.select_related("batch", "function", "candidate")
    return previews.filter(pk=run.arguments["preview"]).first()


def _batch_of(preview: Preview) -> Batch:
    if preview.batch is None:
        raise FanOutCancelled
    return preview.batch


def _batches(run: FanOut) -> QuerySet[Batch]:
    return Batch.objects.filter(fan_outs=run)
