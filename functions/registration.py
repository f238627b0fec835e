"""Tells the machinery whom to call: with verdicts, for elections, and who may follow a topic."""

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
from functions.notifications.delivery import deliver, read_watchers, tell_failing
from functions.notifications.retention import remove_notifications
from functions.notifications.watches import DELIVER, TELL_FAILING, WATCHERS
from functions.previews import steps
from functions.voting.tallies import Tally
from functions.voting.votables import VOTABLES
from runner.pipelines.materialized_views import register_view
from runner.registry import (
    Actor,
    register_audience,
    register_chore,
    register_follow_up,
    register_follow_ups,
    register_keeper,
    register_public_topic,
    register_recorder,
    register_source,
    register_step,
    register_topic,
)

MOST_DIGITS = 18  # of a row's id

_DRAFTS: dict[str, type[Implementation] | type[Test]] = {
    model.noun: model for model in (Implementation, Test)
}


def register() -> None:
    """Register everything; called once, when all apps are loaded."""
    register_recorder(RECORDER, record_verdicts)
    register_recorder(private_runs.RECORDER, private_runs.record_private_runs)
    register_follow_ups(RECONCILE, reconcile, at_once=MAX_FUNCTIONS)
    for votable in VOTABLES.values():
        register_view(votable.view_name, Tally(votable))
    register_keeper(results_in_use)
    register_public_topic("function", existing_functions)
    register_topic("draft", may_follow_draft)
    _register_previews()
    _register_acceptance()
    _register_watching()
    _register_runtimes()
    # Not of drafts: whoever reads one is its author.
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
    register_keeper(verdicts.keep_acceptance)
    register_public_topic("acceptance", existing_acceptance_tests)


def _register_watching() -> None:
    register_follow_up(TELL_FAILING, tell_failing)
    register_source(WATCHERS, read_watchers)
    register_step(DELIVER, deliver)
    register_chore("notifications", 3_600, remove_notifications)
    register_topic("user", may_follow_user)


def _register_runtimes() -> None:
    register_source(runtime_upgrade.FUNCTIONS, runtime_upgrade.read_functions)
    register_step(
        runtime_upgrade.RUN_ANEW, runtime_upgrade.run_anew, finish=runtime_upgrade.end_walk
    )
    register_chore("runtime", runtime_upgrade.LOOK_SECONDS, runtime_upgrade.look_at_runtime)


def existing_functions(row_ids: Collection[str]) -> set[str]:
    """Return which of these functions are there, for anybody to follow."""
    return _existing(Function.objects.filter(deleted_at=None), row_ids)


def may_follow_draft(actor: Actor, row_id: str) -> bool:
    """Let authors, and nobody else, follow the runs of their drafts."""
    noun, _, number = row_id.partition("-")
    model = _DRAFTS.get(noun)
    if model is None or not _is_canonical(number) or not actor.is_authenticated:
        return False
    return model.objects.filter(pk=number, author=actor.pk).exists()


def may_follow_preview(actor: Actor, row_id: str) -> bool:
    """Let nobody but who has asked for a preview follow it."""
    if not _is_canonical(row_id) or not actor.is_authenticated:
        return False
    return Preview.objects.filter(pk=row_id, owner=actor.pk).exists()


def existing_acceptance_tests(row_ids: Collection[str]) -> set[str]:
    """Return which of these acceptance tests are there, for anybody to follow their runs."""
    return _existing(AcceptanceTest.objects.all(), row_ids)


def may_follow_user(actor: Actor, row_id: str) -> bool:
    """Let everybody follow what concerns themselves."""
    return actor.is_authenticated and row_id == str(actor.pk)


def names_of_users(ids: Collection[int]) -> dict[int, str]:
    """Return what those of these users who are not suspended are called."""
    active = get_user_model().objects.filter(pk__in=ids, is_active=True)
    return dict(active.values_list("pk", "username"))


def _existing(rows: QuerySet[Any], row_ids: Collection[str]) -> set[str]:
    numbers = [int(row_id) for row_id in row_ids if _is_canonical(row_id)]
    return {str(pk) for pk in rows.filter(pk__in=numbers).values_list("pk", flat=True)}


def _is_canonical(number: str) -> bool:
    """Refuse other spellings of a number: each would make a topic of its own.

    One that no row can have would have all others that are asked for with it compared as decimals.
    """
    is_number = number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS
    return is_number and str(int(number)) == number
