"""Use cases of runs: cancel, retry and repeat."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from functions.contests.contest import AnyWork
from functions.contests.evaluation import RECORDER, pairs_with, submit_pairs
from functions.contests.loader import load_contest
from functions.contests.programs import ProgramBuilder
from functions.errors import Conflict, Forbidden, TooOften, no_such, refusing_over_quota
from functions.locks import hold_function
from functions.models import Function
from functions.permissions import (
    is_author,
    may_moderate,
    may_repeat,
    require_account,
    require_steering,
)
from functions.request_limits import RERUNS
from runner.batches.cancellation import cancel_batches
from runner.batches.queries import open_descendants, visible_to
from runner.batches.reruns import rerun_batch, rerun_task, retry_batch
from runner.errors import NothingToRun, RequestConflict
from runner.models import Batch, Event, Task
from runner.registry import Actor
from runner.states import OPEN_STATES, BatchState


@transaction.atomic
def cancel_run(*, actor: Actor, batch: Batch) -> None:
    """Cancel the open tasks of a run, and of the runs that it caused."""
    require_steering(actor, batch)
    family = open_descendants(batch)
    if not family:
        raise Conflict("run_ended", _("Run %(run)s has ended already.") % {"run": batch.pk})
    cancel_batches(family)


def retry_run(*, actor: Actor, batch: Batch, request_key: str = "") -> Batch:
    """Run given up and cancelled tasks again, as a new run."""
    return _rerun(retry_batch, require_steering(actor, batch), batch, request_key)


def repeat_run(*, actor: Actor, batch: Batch, request_key: str = "") -> Batch:
    """Repeat all tasks of a run despite known results, as a new run."""
    user = require_steering(actor, batch)
    if batch.state == BatchState.OPEN:
        message = _("Run %(run)s is still open; cancel it or wait for its end.")
        raise Conflict("run_open", message % {"run": batch.pk})
    return _rerun(rerun_batch, user, batch, request_key)


def repeat_result(*, actor: Actor, key: bytes, request_key: str = "") -> Batch:
    """Repeat one program despite its known result, as a new run."""
    user = require_account(actor)
    tasks = Task.objects.filter(visible_to(user, "batch"), execution__key=key)
    # Prefer public batches, whose results are recorded publicly.
    found = tasks.select_related("batch__topic", "execution").order_by("batch__private", "-batch")
    task = found.first()
    if task is None:
        raise no_such("result")
    if not may_repeat(user, key):
        message = _(
            "Only users who ran this program, owners and authors of its works, and staff may."
        )
        raise Forbidden("not_yours", message)
    former = Batch.objects.filter(owner=user, request_key=request_key, tasks__execution__key=key)
    if request_key and (batch := former.first()):
        return batch
    if task.execution.state in OPEN_STATES:
        raise Conflict("run_open", _("This program is already running; wait for its end."))

    def rerun(batch: Batch, owner: User, **options: Any) -> Batch:  # noqa: ARG001 - it is the task's
        return rerun_task(task, owner, **options)

    return _rerun(rerun, user, task.batch, request_key)


def run_function_again(*, actor: Actor, function: Function, request_key: str = "") -> Batch:
    """Repeat the programs of the function's cells despite known results.

    Its owner and staff repeat all cells, authors those of their own works.
    """
    user = require_account(actor)
    return _limited(user, lambda: _submit_cells(user, function, request_key))


def _submit_cells(user: User, function: Function, request_key: str) -> Batch:
    held = hold_function(function.pk)
    contest = load_contest(held)
    works: list[AnyWork] = [*contest.implementations, *contest.tests]
    if not may_moderate(user, held):
        works = [work for work in works if is_author(user, work)]
    if not works:
        message = _("Only the owner of %(name)s, authors of its works, and staff may do this.")
        raise Forbidden("not_yours", message % {"name": held.name})
    builder = ProgramBuilder(contest)
    pairs = dict.fromkeys(pair for work in works for pair in pairs_with(contest, work))
    runnable = [pair for pair, key in builder.keys(pairs).items() if key]
    if not runnable:
        message = _("%(name)s has nothing that can be run.") % {"name": held.name}
        raise Conflict("nothing_to_run", message)
    return submit_pairs(
        builder.programs(runnable),
        topic=held.topic,
        owner=user,
        cause="all tests again" if may_moderate(user, held) else "an author's work again",
        recorder=RECORDER,
        request_key=request_key,
        rerun=True,
    )


def _rerun(rerun: Callable[..., Batch], user: User, batch: Batch, request_key: str) -> Batch:
    def submit() -> Batch:
        return rerun(batch, user, request_key=request_key, announcement=_announcement(batch))

    try:
        return _limited(user, submit)
    except NothingToRun as error:
        message = _("Run %(run)s has nothing left to run.") % {"run": batch.pk}
        raise Conflict("nothing_to_run", message) from error


def _limited(user: User, submit: Callable[[], Batch]) -> Batch:
    """Submit in a transaction. Raises TooOften above the limits."""
    if not RERUNS.count(f"user {user.pk}"):
        raise TooOften(
            _("You have repeated %(count)s runs in this hour; wait a while.")
            % {"count": RERUNS.tries},
            retry_after_seconds=RERUNS.retry_after_seconds(),
        )
    try:
        with refusing_over_quota(), transaction.atomic():
            return submit()
    except RequestConflict as error:
        raise Conflict("request_conflict", str(error)) from error


def _announcement(batch: Batch) -> dict[str, Any]:
    """Return the cells of a draft's programs, which only its event has.

    Published works have stored cells, whose programs may have changed.
    """
    if not batch.private:
        return {}
    events = Event.objects.filter(topic=batch.topic_id, type="batch.submitted")
    submitted = events.filter(payload__batch=batch.pk).first()
    return {"cells": submitted.payload.get("cells", [])} if submitted else {}
