"""Decides about revisions: one that passes every test that counts is shown, others are refused."""

from collections.abc import Mapping, Sequence

from django.utils import timezone

from functions.audit import publish_change
from functions.authoring.publication import write_dependencies
from functions.authoring.validation import find_links
from functions.contests.cells import KnownResult, load_results
from functions.contests.contest import Contest, Pair
from functions.contests.evaluation import enqueue_reconcile
from functions.contests.loader import load_contest
from functions.contests.private_runs import record_private_runs
from functions.contests.programs import ProgramBuilder
from functions.contests.rules import PASSED
from functions.document_revisions.proposals import DECIDE, revised_work, submit_pairs_of
from functions.document_revisions.versions import newest_number
from functions.errors import Refusal
from functions.graph.nodes import Link
from functions.graph.usage import change_uses, uses_of_only
from functions.json_data.deltas import make_delta
from functions.kinds import kind_of_work
from functions.kinds.document_source import parse_document
from functions.locks import find_and_lock_function, hold_names
from functions.models import DocumentRevision, Implementation, Test, Work
from functions.notifications.voters import notify_voters
from runner.models import Batch, FollowUp, Task
from runner.pipelines.outbox import enqueue_follow_up
from runner.registry import FinishedTask
from runner.states import OPEN_STATES, BatchState

MAX_SUBMISSIONS = 3
State = DocumentRevision.State


def record_revisions(finished: Sequence[FinishedTask]) -> None:
    """Enqueue the decisions about revisions whose programs have ended; a recorder."""
    record_private_runs(finished)
    batches = {task.batch_id for task in finished}
    for revision in DocumentRevision.objects.filter(batch__in=batches, state=State.PENDING):
        enqueue_follow_up(DECIDE, str(revision.pk), owner_id=revision.editor_id)


def decide(target: str, rows: Sequence[FollowUp]) -> None:  # noqa: ARG001
    """Show or refuse a revision, unless its programs still run; a follow-up handler."""
    pending = DocumentRevision.objects.filter(pk=target, state=State.PENDING)
    found = pending.select_related("implementation").first()
    if found is None:
        return
    function = find_and_lock_function(found.implementation.function_id)
    revision = pending.select_related("editor").select_for_update(of=("self",)).first()
    if revision is None:
        return
    works = Implementation.objects.select_for_update(no_key=True, of=("self",))
    work = works.get(pk=revision.implementation_id)
    if function is None or work.state != Work.State.PUBLISHED:
        _refuse(revision, "the document is no longer there")
        return
    work.function = function
    try:
        _decide(revision, work)
    except Refusal as refusal:  # such as a link to what has become a function
        _refuse(revision, refusal.message)


def _decide(revision: DocumentRevision, work: Implementation) -> None:
    revised = revised_work(work, revision.code)
    markers = kind_of_work(revised).find_markers(revision.code).first_by_key()
    hold_names(markers)
    links = find_links(revised, markers)
    contest = load_contest(work.function, draft=revised, draft_links=tuple(links))
    tests = {test.pk: test for test in contest.tests if test.counts}
    keys = ProgramBuilder(contest, work=revised).keys(
        [(work.pk, None), *((work.pk, pk) for pk in tests)]
    )
    if not all(keys.values()):
        closure = contest.closure_of(revised)
        missing = closure.missing or " → ".join(closure.cycle_path)
        _refuse(revision, f"blocked by {missing}")
        return
    results = load_results([key for key in keys.values() if key])
    if failing := _first_failing(keys, results):
        _refuse_failing(revision, *failing, tests=tests)
    elif lacking := {pair for pair, key in keys.items() if key not in results}:
        _wait(revision, contest, revised, {pair: keys[pair] or b"" for pair in lacking})
    else:
        _show(revision, work, revised, links)


def _first_failing(
    keys: Mapping[Pair, bytes | None], results: Mapping[bytes, KnownResult]
) -> tuple[Pair, KnownResult] | None:
    for pair, key in keys.items():
        if key and key in results and results[key].verdict != PASSED:
            return pair, results[key]
    return None


def _wait(
    revision: DocumentRevision,
    contest: Contest,
    revised: Implementation,
    lacking: Mapping[Pair, bytes],
) -> None:
    """Submit programs that don't run yet: what the document links has changed in the meantime."""
    running = Task.objects.filter(
        batch=revision.batch_id, execution__key__in=list(lacking.values()), state__in=OPEN_STATES
    )
    if running.exists():
        return
    if Batch.objects.filter(pk=revision.batch_id or 0, state=BatchState.CANCELLED).exists():
        _refuse(revision, "its run was cancelled")
    elif revision.submissions >= MAX_SUBMISSIONS:
        _refuse(revision, "it could not be judged")
    else:
        submit_pairs_of(revision, contest, revised, list(lacking))


def _refuse(revision: DocumentRevision, reason: str, *, failing: Test | None = None) -> None:
    revision.state, revision.reason, revision.failing = State.REFUSED, reason[:300], failing
    revision.decided_at = timezone.now()
    revision.save(update_fields=["state", "reason", "failing", "decided_at"])


def _refuse_failing(
    revision: DocumentRevision, pair: Pair, result: KnownResult, *, tests: Mapping[int, Test]
) -> None:
    test = tests.get(pair[1] or 0)
    what = f"it does not pass {test}" if test else "it does not load"
    _refuse(revision, f"{what}: {result.message}".removesuffix(": "), failing=test)


def _show(
    revision: DocumentRevision, work: Implementation, revised: Implementation, links: Sequence[Link]
) -> None:
    """Make the revision the work's newest version, and have the election held again."""
    now, editor = timezone.now(), revision.editor
    revision.delta = make_delta(parse_document(work.code), parse_document(revision.code))
    revision.number = newest_number(work) + 1
    revision.state, revision.decided_at, revision.code = State.SHOWN, now, ""
    revision.save(update_fields=["delta", "number", "state", "decided_at", "code"])
    used_before = uses_of_only(work)
    work.dependencies.all().delete()
    write_dependencies(work, list(links))
    for name in ("code", "generated", "source_sha256"):
        setattr(work, name, getattr(revised, name))
    work.changed_at = now
    work.save(update_fields=["code", "generated", "source_sha256", "changed_at"])
    function = work.function
    function.judging, function.changed_at = True, now
    function.save(update_fields=["judging", "changed_at"])
    cause = f"implementation {work} revised"
    enqueue_reconcile([function.pk], cause=cause, actor=editor.pk)
    publish_change(function, editor, f"revised {work}")
    notify_voters(function, work, editor=editor, number=revision.number)
    change_uses(work, used_before)
