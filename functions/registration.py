"""Registers the product's handlers, topics and periodic tasks with the runner."""

from collections.abc import Collection
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from functions.acceptance import verdicts
from functions.contests import private_runs
from functions.contests.evaluation import RECONCILE, RECORDER, record_verdicts, results_in_use
from functions.elections.acceptance_review import REVIEW
from functions.elections.reconciler import MAX_FUNCTIONS, reconcile
from functions.maintenance import runtime_upgrade
from functions.models import AcceptanceTest, Function, Implementation, Preview, Test
from functions.notifications.delivery import (
    deliver,
    notify_failing,
    read_watchers,
    remove_notifications,
)
from functions.notifications.watches import DELIVER, NOTIFY_FAILING, WATCHERS
from functions.previews import steps
from functions.voting.tallies import Tally
from functions.voting.votables import VOTABLES
from runner.pipelines.materialized_views import register_view
from runner.registry import (
    Actor,
    register_audience,
    register_follow_up,
    register_follow_ups,
    register_periodic_task,
    register_public_topic,
    register_recorder,
    register_retention_rule,
    register_source,
    register_step,
    register_topic,
)

MAX_DIGITS = 18  # of a row's id

_DRAFTS: dict[str, type[Implementation] | type[Test]] = {
    model.noun: model for model in (Implementation, Test)
}


def register() -> None:
    """Register everything; called once, when all apps are loaded."""
    register_recorder(RECORDER, record_verdicts)
    register_recorder(private_runs.RECORDER, private_runs.record_private_runs)
    register_follow_ups(RECONCILE, reconcile, max_targets=MAX_FUNCTIONS)
    for votable in VOTABLES.values():
        register_view(votable.view_name, Tally(votable))
    register_retention_rule(results_in_use)
    register_public_topic("function", existing_functions)
    register_topic("draft", may_follow_draft)
    _register_previews()
    _register_acceptance()
    _register_watching()
    _register_runtimes()
    # Not for drafts, which only their authors see.
    register_audience("function", names_of_users)


def _register_previews() -> None:
    register_recorder(steps.RECORDER, steps.record_previews)
    register_source(steps.ITSELF, steps.read_itself)
    register_source(steps.DEPENDENTS, steps.read_dependents)
    register_step(steps.DECIDE, steps.decide, fail=steps.give_up)
    register_step(steps.TRY, steps.plan_dependents, finish=steps.finish, fail=steps.give_up)
    register_topic("preview", may_follow_preview)


def _register_acceptance() -> None:
    register_recorder(verdicts.RECORDER, verdicts.record_acceptance)
    register_follow_up(REVIEW, verdicts.review)
    register_retention_rule(verdicts.keys_in_use)
    register_public_topic("acceptance", existing_acceptance_tests)


def _register_watching() -> None:
    register_follow_up(NOTIFY_FAILING, notify_failing)
    register_source(WATCHERS, read_watchers)
    register_step(DELIVER, deliver)
    register_periodic_task("notifications", 3_600, remove_notifications)
    register_topic("user", may_follow_user)


def _register_runtimes() -> None:
    register_source(runtime_upgrade.FUNCTIONS, runtime_upgrade.read_functions)
    register_step(
        runtime_upgrade.RERUN, runtime_upgrade.enqueue_rerun, finish=runtime_upgrade.finish_rerun
    )
    register_periodic_task("runtime", runtime_upgrade.CHECK_SECONDS, runtime_upgrade.check_runtime)


def existing_functions(row_ids: Collection[str]) -> set[str]:
    """Return the ids of the existing functions, whose topics are public."""
    return _existing(Function.objects.filter(deleted_at=None), row_ids)


def may_follow_draft(actor: Actor, row_id: str) -> bool:
    """Tell whether the actor is the draft's author."""
    noun, _, number = row_id.partition("-")
    model = _DRAFTS.get(noun)
    if model is None or not _is_canonical(number) or not actor.is_authenticated:
        return False
    return model.objects.filter(pk=number, author=actor.pk).exists()


def may_follow_preview(actor: Actor, row_id: str) -> bool:
    """Tell whether the actor owns the preview."""
    if not _is_canonical(row_id) or not actor.is_authenticated:
        return False
    return Preview.objects.filter(pk=row_id, owner=actor.pk).exists()


def existing_acceptance_tests(row_ids: Collection[str]) -> set[str]:
    """Return the ids of the existing acceptance tests, whose topics are public."""
    return _existing(AcceptanceTest.objects.all(), row_ids)


def may_follow_user(actor: Actor, row_id: str) -> bool:
    """Tell whether the topic is the actor's own."""
    return actor.is_authenticated and row_id == str(actor.pk)


def names_of_users(ids: Collection[int]) -> dict[int, str]:
    """Return the names of those of these users who are not suspended."""
    active = get_user_model().objects.filter(pk__in=ids, is_active=True)
    return dict(active.values_list("pk", "username"))


def _existing(rows: QuerySet[Any], row_ids: Collection[str]) -> set[str]:
    numbers = [int(row_id) for row_id in row_ids if _is_canonical(row_id)]
    return {str(pk) for pk in rows.filter(pk__in=numbers).values_list("pk", flat=True)}


def _is_canonical(number: str) -> bool:
    """Tell whether this is the canonical spelling of a possible id.

    Other spellings would make topics of their own, and numbers that are too large would have all
    ids in the same query compared as decimals.
    """
    is_number = number.isascii() and number.isdecimal() and len(number) <= MAX_DIGITS
    return is_number and str(int(number)) == number
