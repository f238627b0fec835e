"""Tells the machinery whom to call: with verdicts, for elections, and who may follow a topic."""

from collections.abc import Collection

from django.contrib.auth import get_user_model

from functions import runtimes
from functions.acceptance import judging
from functions.evaluation import RECORDER, SETTLE, keep_results, record_verdicts
from functions.keeping import remove_notifications
from functions.models import AcceptanceTest, Function, Implementation, Preview, Test
from functions.notifying import deliver, read_watchers, tell_failing
from functions.previewing import trying
from functions.reviews import REVIEW
from functions.standings import settle
from functions.tallies import Tally
from functions.votables import VOTABLES
from functions.watching import DELIVER, TELL_FAILING, WATCHERS
from runner.pipelines.views import register_view
from runner.registry import (
    Actor,
    register_audience,
    register_chore,
    register_follow_up,
    register_keeper,
    register_recorder,
    register_source,
    register_step,
    register_topic,
)

_DRAFTS: dict[str, type[Implementation] | type[Test]] = {
    model.noun: model for model in (Implementation, Test)
}


def register() -> None:
    """Register everything; called once, when all apps are loaded."""
    register_recorder(RECORDER, record_verdicts)
    register_follow_up(SETTLE, settle)
    for votable in VOTABLES.values():
        register_view(votable.view_name, Tally(votable))
    register_keeper(keep_results)
    register_topic("function", may_follow_function)
    register_topic("draft", may_follow_draft)
    _register_previews()
    _register_acceptance()
    _register_watching()
    _register_runtimes()
    # Not of drafts: whoever reads one is its author.
    register_audience("function", names_of_users)


def _register_previews() -> None:
    register_recorder(trying.RECORDER, trying.record_previews)
    register_source(trying.ITSELF, trying.read_itself)
    register_source(trying.DEPENDENTS, trying.read_dependents)
    register_step(trying.DECIDE, trying.decide, fail=trying.give_up)
    register_step(trying.TRY, trying.try_on, finish=trying.finish, fail=trying.give_up)
    register_topic("preview", may_follow_preview)


def _register_acceptance() -> None:
    register_recorder(judging.RECORDER, judging.record_acceptance)
    register_follow_up(REVIEW, judging.review)
    register_keeper(judging.keep_acceptance)
    register_topic("acceptance", may_follow_acceptance)


def _register_watching() -> None:
    register_follow_up(TELL_FAILING, tell_failing)
    register_source(WATCHERS, read_watchers)
    register_step(DELIVER, deliver)
    register_chore("notifications", 3_600, remove_notifications)
    register_topic("user", may_follow_user)


def _register_runtimes() -> None:
    register_source(runtimes.FUNCTIONS, runtimes.read_functions)
    register_step(runtimes.RUN_ANEW, runtimes.run_anew, finish=runtimes.end_walk)
    register_chore("runtime", runtimes.LOOK_SECONDS, runtimes.look_at_runtime)


def may_follow_function(actor: Actor, row_id: str) -> bool:  # noqa: ARG001 - anybody may
    """Let anybody follow a function that is there."""
    return _is_canonical(row_id) and Function.objects.filter(pk=row_id, deleted_at=None).exists()


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


def may_follow_acceptance(actor: Actor, row_id: str) -> bool:  # noqa: ARG001 - anybody may
    """Let anybody follow the runs of an acceptance test that is there."""
    return _is_canonical(row_id) and AcceptanceTest.objects.filter(pk=row_id).exists()


def may_follow_user(actor: Actor, row_id: str) -> bool:
    """Let everybody follow what concerns themselves."""
    return actor.is_authenticated and row_id == str(actor.pk)


def names_of_users(ids: Collection[int]) -> dict[int, str]:
    """Return what those of these users who are not suspended are called."""
    active = get_user_model().objects.filter(pk__in=ids, is_active=True)
    return dict(active.values_list("pk", "username"))


def _is_canonical(number: str) -> bool:
    """Refuse other spellings of a number: each would make a topic of its own."""
    return number.isascii() and number.isdecimal() and str(int(number)) == number
