"""A preview's course: once it is known what others would import, each of them is tried with it.

Both are walks by the machinery: a crash leaves them before a page or behind it, and where a walk
can't go on, its batch is cancelled.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from functions.acceptance.programs import program_of
from functions.contests.loader import load_contest
from functions.contests.private_runs import record_private_runs
from functions.contests.rules import CellResult
from functions.graph.nodes import Link
from functions.graph.queries import dependent_ids, living_functions, transitive_dependents
from functions.models import AcceptanceTest, Dependency, Effect, Function, Preview
from functions.previews.effects import LookUp, Outcome, predict
from functions.previews.plan import (
    MAX_OTHER_PROGRAMS,
    Hypothesis,
    find_cycle,
    hypothesis_of,
    make_plan,
)
from functions.source.names import name_key
from runner.batches.cancellation import cancel_batches
from runner.batches.quotas import has_room
from runner.batches.submission import add_tasks, mark_loaded
from runner.models import Batch, FanOut, Result
from runner.pipelines.fan_out import NotYet, WalkIsOver, fan_out
from runner.programs.program import PreparedProgram
from runner.registry import Finished, Page
from runner.states import BatchState

RECORDER = "functions.previews"
ITSELF = "functions.preview"
DEPENDENTS = "functions.preview.dependents"
DECIDE = "functions.preview.decide"
TRY = "functions.preview.try"

MAX_PROGRAMS = 2_000
MAX_ACCEPTANCE_TESTS = 100
FUNCTIONS_AT_ONCE = 10
# A page that finds its owner's queue full looks again after so long.
QUEUE_RETRY_SECONDS = 2.0


def record_previews(finished: Sequence[Finished]) -> None:
    """Look at previews again that wait for their own function's election; a recorder.

    Most of these programs nobody means yet: who does one day finds the results by their keys.
    """
    record_private_runs(finished)
    batches = {task.batch_id for task in finished}
    for preview in Preview.objects.filter(batch__in=batches, is_decided=False):
        enqueue_decide(preview)


def enqueue_decide(preview: Preview) -> None:
    """Look, after the transaction, whether it is known what others would import."""
    _start_fan_out(preview, f"decide:{preview.pk}", ITSELF, DECIDE)


def enqueue_dependents(preview: Preview) -> None:
    """Have it tried, after the transaction, on all who may import it."""
    near = dependent_ids(preview.function_id)
    cycle_group = living_functions({name_key(name) for name in preview.circle}).values()
    theirs = [
        pk for one in cycle_group for pk in dependent_ids(one.pk) if pk != preview.function_id
    ]
    preview.ahead = list(
        dict.fromkeys([*near, *theirs, *transitive_dependents(preview.function_id)])
    )
    if preview.candidate_id:
        _add_acceptance_tests(preview)
    _start_fan_out(preview, f"try:{preview.pk}", DEPENDENTS, TRY)


def _add_acceptance_tests(preview: Preview) -> None:
    """Have run what those who depend on it ask of it."""
    hypothesis = hypothesis_of(preview)
    tests = AcceptanceTest.objects.select_related("function", "target").filter(
        target=preview.function_id,
        state=AcceptanceTest.State.PUBLISHED,
        function__deleted_at=None,
    )
    found: dict[int, PreparedProgram] = {}
    chosen, left_out = _split(list(tests.order_by("pk")))
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


def _split(tests: list[AcceptanceTest]) -> tuple[list[AcceptanceTest], list[AcceptanceTest]]:
    return tests[:MAX_ACCEPTANCE_TESTS], tests[MAX_ACCEPTANCE_TESTS:]


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
    """Return the preview alone; a source."""
    return Page([arguments["preview"]], None)


def read_dependents(arguments: Mapping[str, Any], cursor: int | None, at_most: int) -> Page:
    """Return the functions that a preview is to be tried on; a source."""
    wanted = Preview.objects.filter(pk=arguments["preview"])
    ahead: list[int] = wanted.values_list("ahead", flat=True).first() or []
    end = (cursor or 0) + at_most
    return Page(ahead[cursor or 0 : end], end if end < len(ahead) else None)


def decide(_items: Sequence[Any], run: FanOut) -> None:
    """Find what others would import, if it is known, and have it tried if it is new; a step."""
    preview = _open_preview(run)
    if preview is None:
        finish(run)
        return
    if preview.is_decided:
        raise WalkIsOver
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
        preview.code = preview.candidate.code
        rows = Dependency.objects.filter(implementation=implementation).order_by("id")
        links = rows.exclude(target=preview.function_id).values_list("name", "target")
        preview.links = [list(link) for link in links]
        preview.circle = find_cycle(preview.function, [Link(*link) for link in links])


def plan_dependents(function_ids: Sequence[int], run: FanOut) -> None:
    """Plan what to run of these functions, and have it run; a step."""
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
    if not has_room(preview.owner_id, len(programs)):
        raise NotYet(QUEUE_RETRY_SECONDS)
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
    """Say that all is loaded: the preview ends when its runs have."""
    for batch in _batches(run):
        mark_loaded(batch)


def give_up(run: FanOut) -> None:
    """Cancel the preview's batch: it will never be all that it was to be."""
    cancel_batches(_batches(run))


def known_results(
    effects: Sequence[Effect], *, is_over: bool, also: Collection[str | None] = ()
) -> LookUp:
    """Look up what the programs of these effects, and `also`, have come to, in one query.

    What was left out comes no more, nor what has no result though all is over.
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
    """Lock the walk's batch, unless it was cancelled or is loaded, and return its preview.

    There is none any more if its draft was discarded.
    """
    open_batches = _batches(run).filter(state=BatchState.OPEN, all_tasks_loaded=False)
    if open_batches.select_for_update(no_key=True, of=("self",)).first() is None:
        raise WalkIsOver
    previews = Preview.objects.select_related("batch", "function", "candidate")
    return previews.filter(pk=run.arguments["preview"]).first()


def _batch_of(preview: Preview) -> Batch:
    if preview.batch is None:
        raise WalkIsOver
    return preview.batch


def _batches(run: FanOut) -> QuerySet[Batch]:
    return Batch.objects.filter(fan_outs=run)
