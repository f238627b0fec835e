"""The use case of checks: what a draft with this code would be told by a run, without a draft."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeVar

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from functions.authoring.validation import (
    check_first,
    check_language,
    find_links,
    find_obstacles,
    read_code,
)
from functions.checks.cells import BLOCKED, CheckedCell, Place, cut_logs
from functions.checks.quota import check_runs
from functions.checks.runs import run_all
from functions.contests.contest import Pair
from functions.contests.evaluation import pairs_with
from functions.contests.loader import load_contest
from functions.contests.programs import ProgramBuilder
from functions.errors import Conflict, refuse_all
from functions.kinds import PYTHON, generate_module, kind_of_work
from functions.kinds.kind import Checked
from functions.models import Function, Implementation, Test
from functions.permissions import require_account, require_unarchived
from functions.read_models.snapshot import snapshot
from runner.models import Result
from runner.programs.program import PreparedProgram, source_hash
from runner.registry import Actor
from runner.sandbox import Verdict

W = TypeVar("W", Implementation, Test)

UNSAVED = -1  # the id of the code's work, which no row has


@dataclass(frozen=True, slots=True)
class Check:
    """Whether the code loads, and its cells: a row for an implementation, a column for a test."""

    loading: CheckedCell
    cells: Sequence[CheckedCell]


class _Plan(NamedTuple):
    """The programs of a check's pairs: known results, and what is to be run."""

    places: Mapping[Pair, Place]
    keys: Mapping[Pair, bytes | None]
    known: Mapping[bytes, Result]
    programs: Mapping[bytes, PreparedProgram]


def check_work(
    *,
    actor: Actor,
    function: Function,
    model: type[W],
    code: str,
    language: str = PYTHON.language,
) -> Check:
    """Run code as a draft's run would, and return all verdicts; nothing is stored.

    Must not be called in a transaction.
    """
    user = require_account(actor)
    require_unarchived(function)
    check_language(function, language)
    work = model(pk=UNSAVED, function=function, author=user, code=code, language=language)
    act = partial(_check, user, work)
    return check_first(code, owner=user.pk, act=act, kind=kind_of_work(work))


def _check(user: User, work: Implementation | Test, checked: Checked) -> Check:
    with snapshot():
        plan = _plan(work, checked)
        check_runs(user.pk, len(plan.programs))
    unsaved = {source_hash(work.module_source).hex(): work.module_source}
    runs = run_all([*plan.programs.values()], user_id=user.pk, unsaved=unsaved)
    ended = dict(zip(plan.programs, runs, strict=True))

    def cell(pair: Pair) -> CheckedCell:
        place, key = plan.places[pair], plan.keys[pair]
        if key is None:
            return place.empty(BLOCKED)
        return place.of_result(plan.known[key]) if key in plan.known else place.of_run(ended[key])

    loading = (UNSAVED, None)
    if loading in plan.keys:
        first, *cells = cut_logs(map(cell, plan.keys))
        return Check(first, cells)
    return Check(_loading_of_test(checked), cut_logs(map(cell, plan.keys)))


def _plan(work: Implementation | Test, checked: Checked) -> _Plan:
    function = Function.objects.filter(pk=work.function_id, deleted_at=None).first()
    if function is None:
        raise Conflict("function_deleted", _("This function was just deleted."))
    work.function = function
    markers = read_code(work, checked)
    links = tuple(find_links(work, markers))
    contest = load_contest(function, draft=work, draft_links=links)
    refuse_all(list(find_obstacles(work, contest, links, markers)))
    generate_module(work, function)
    builder = ProgramBuilder(contest, work=work)
    keys = builder.keys(pairs_with(contest, work))
    wanted = [key for key in keys.values() if key]
    results = Result.objects.filter(execution__key__in=wanted).select_related("execution")
    known = {bytes(result.execution.key): result for result in results.defer("value")}
    unknown = {key: pair for pair, key in keys.items() if key and key not in known}
    built = builder.programs([*unknown.values()])
    return _Plan(
        {pair: Place(pair, builder.test_module(pair), function.name) for pair in keys},
        keys,
        known,
        {key: built[pair] for key, pair in unknown.items()},
    )


def _loading_of_test(checked: Checked) -> CheckedCell:
    """Return whether a test can be loaded; only running it tells whether it really is."""
    cell = CheckedCell(implementation=None, test=None, verdict=Verdict.PASSED.value)
    for found in checked.findings:
        message = f"line {found.line}: {found.message}"
        return replace(cell, verdict=Verdict.POLICY.value, message=message, line=found.line)
    return cell
