"""The read model of a preview's page, with the results known so far."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from functions.canaries.previews import count_projects
from functions.contests.rules import PASSED
from functions.models import AcceptanceTest, Effect, Preview
from functions.moderation.challenges import first_cause
from functions.previews.effects import Forecast, LookUp, Outcome, ineligibility_reason
from functions.previews.forecasts import forecast_all
from functions.previews.notices import is_told
from functions.previews.steps import known_results
from functions.read_models.run_list import RunRow, run_rows
from functions.read_models.snapshot import snapshot
from runner.models import Batch
from runner.registry import Actor

FAILING_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRow:
    """The forecast of one function."""

    function: str
    was_implemented: bool
    current: str  # label of the present current implementation, or empty
    after: str  # label of the one that would be current, or empty
    after_id: int | None
    outcome: Outcome
    reason: str
    failing: tuple[tuple[str, str], ...]  # (label, key) of some tests that the present one fails
    tests: tuple[tuple[str, str], ...]  # (label, reason) of tests that would break or work again
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceRow:
    """An acceptance test of the changed function; `verdict` is empty if there is none."""

    id: int
    function: str
    label: str
    title: str
    before: str
    verdict: str
    message: str
    key: str | None  # None if above the limit

    @property
    def is_failing(self) -> bool:
        return self.verdict not in ("", PASSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewPage:
    """A preview's page."""

    preview: Preview
    run: RunRow
    own: EffectRow | None  # of the function itself; None if it would be deleted
    complaint: str  # why a draft would not be eligible
    is_challenge: bool  # it would be published as a challenge
    effects: tuple[EffectRow, ...]  # by name
    acceptance: tuple[AcceptanceRow, ...]  # tests of the candidate
    ahead: int  # number of dependents still to be tried
    projects: int  # number of registered projects that have locked what the change reaches
    is_told: bool  # they were told what differs

    @property
    def left_out(self) -> int:
        """Number of programs above the limits."""
        tests = sum(test.key is None for test in self.acceptance)
        return tests + sum(effect.left_out for effect in self.effects)

    @property
    def is_tried(self) -> bool:
        """Whether dependents are affected, or may still be."""
        return bool(self.effects or self.ahead) or not self.preview.is_decided

    def of(self, outcome: str) -> tuple[EffectRow, ...]:
        """Return the dependents with this outcome."""
        return tuple(effect for effect in self.effects if effect.outcome == outcome)


def preview_page(preview_id: int, actor: Actor) -> PreviewPage | None:
    """Return a preview's page to its owner; None for others, or if it was deleted."""
    with snapshot():
        found = Preview.objects.filter(pk=preview_id, owner=actor.pk)
        preview = found.select_related("function", "implementation", "test", "candidate").first()
        batches = Batch.objects.select_related("topic", "owner")
        batch = batches.filter(preview=preview.pk).first() if preview else None
        if preview is None or batch is None:
            return None
        (run,) = run_rows([batch])
        return _page(preview, run)


def _page(preview: Preview, run: RunRow) -> PreviewPage:
    rows = list(preview.effects.select_related("function").order_by("function__name_key"))
    keys = dict(preview.acceptance)
    look_up = known_results(rows, is_over=not run.progress.is_open, also=keys.values())
    own, forecasts = forecast_all(preview, rows, look_up)
    others = [row for row in rows if row.function_id in forecasts]
    return PreviewPage(
        preview=preview,
        run=run,
        own=next((_row(row, own) for row in rows if own and row not in others), None),
        complaint=_complaint(preview, rows, look_up),
        is_challenge=_is_challenge(preview),
        effects=tuple(_row(row, forecasts[row.function_id]) for row in others),
        acceptance=tuple(_acceptance_rows(keys, look_up)),
        ahead=max(0, len(preview.ahead) - len(others)) if run.progress.is_open else 0,
        projects=count_projects(preview),
        is_told=is_told(preview),
    )


def _is_challenge(preview: Preview) -> bool:
    if preview.change != Preview.Change.PUBLISH or preview.test is None:
        return False
    return not first_cause(preview.test, preview.function)


def _complaint(preview: Preview, rows: Sequence[Effect], look_up: LookUp) -> str:
    """Return why a draft of an implementation would not be eligible."""
    draft = preview.implementation_id if preview.change == Preview.Change.PUBLISH else None
    own = [row.candidates for row in rows if row.function_id == preview.function_id]
    return ineligibility_reason(own[0], draft, look_up) if own and draft else ""


def _acceptance_rows(keys: Mapping[int, str | None], look_up: LookUp) -> Iterator[AcceptanceRow]:
    tests = AcceptanceTest.objects.select_related("function").filter(pk__in=keys)
    for test in tests.order_by("function__name_key", "pk"):
        result = look_up(keys[test.pk])
        yield AcceptanceRow(
            id=test.pk,
            function=test.function.name,
            label=str(test),
            title=test.title,
            before=test.verdict,
            verdict=result.verdict,
            message=result.message,
            key=keys[test.pk],
        )


def _row(effect: Effect, forecast: Forecast) -> EffectRow:
    return EffectRow(
        function=effect.function.name,
        was_implemented=effect.was_implemented,
        current=effect.current,
        after=forecast.label,
        after_id=forecast.elected,
        outcome=forecast.outcome,
        reason=forecast.reason,
        failing=forecast.failing[:FAILING_SHOWN],
        tests=tuple((test["label"], test["reason"]) for test in effect.tests),
        left_out=effect.left_out,
    )
