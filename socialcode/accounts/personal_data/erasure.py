"""What a worker does after an account was deleted, in many short transactions.

Each call does one step, so a worker that dies leaves the account between two steps, and the next
one goes on. Steps lock functions and works, which would be wrong while the account is locked.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from functions.acceptance.verdicts import publish_verdict
from functions.authoring.definitions import delete_function
from functions.authoring.withdrawal import withdraw
from functions.graph.queries import dependent_ids
from functions.models import (
    AcceptanceTest,
    Comment,
    FormerName,
    Function,
    Implementation,
    Preview,
    Test,
    Vote,
    Work,
)
from functions.moderation.comments import delete_comment
from functions.people.deleted_accounts import DELETED_USER
from functions.voting.cast import view_name
from runner.models import FollowUp
from runner.pipelines.materialized_views import enqueue_join
from runner.pipelines.outbox import enqueue_follow_up
from runner.registry import Handlers, PeriodicTask, for_each_target
from socialcode.accounts.models import DeletedAccount
from socialcode.accounts.personal_data.former_names import forget_name
from socialcode.accounts.personal_data.records import Fate, installed

FINISH = "accounts.finish_deletion"
AT_ONCE = 100
# Requests that began before the deletion have ended after this time.
LAST_LOOK_AFTER = timedelta(minutes=5)
RESUME_SECONDS = 60

_MODELS: tuple[type[Implementation] | type[Test], ...] = (Implementation, Test)
_LIVING = ~Q(author__username__startswith=DELETED_USER)


def finish_deletion(target: str, _rows: Sequence[FollowUp]) -> None:
    """Do the next step of a deletion, and enqueue the one after it; `resume` has the last look."""
    unfinished = DeletedAccount.objects.filter(pk=target, finished_at=None)
    deletion = unfinished.select_for_update(of=("self",)).select_related("user").first()
    if deletion is None:
        return
    if any(step(deletion) for step in _steps(deletion)):
        enqueue_follow_up(FINISH, target)
    elif deletion.deleted_at <= timezone.now() - LAST_LOOK_AFTER:
        deletion.former_name, deletion.finished_at = "", timezone.now()
        deletion.save(update_fields=["former_name", "finished_at"])
        FormerName.objects.filter(user=deletion.user).delete()


def _steps(deletion: DeletedAccount) -> list[Callable[[DeletedAccount], bool]]:
    """Return the steps, each of which returns whether there was something to do."""
    chosen = [_withdraw_work, _withdraw_acceptance_test, _delete_function, _delete_comment,
              _delete_votes]  # fmt: skip
    is_withdrawn = deletion.work == DeletedAccount.Work.WITHDRAWN
    return [_erase_rows, _erase_drafts, *(chosen if is_withdrawn else []), forget_name]


def _erase_rows(deletion: DeletedAccount) -> bool:
    """Erase previews, end offers, and erase what requests wrote that began before."""
    user = deletion.user
    ended = Function.objects.filter(offered_to=user).update(offered_to=None)
    ended += _delete_some(Preview.objects.filter(owner=user))
    rows = (one.rows.filter(**{one.field: user.pk}) for one in installed(Fate.ERASED))
    return bool(ended + sum(map(_delete_some, rows)))


def _delete_some(rows: Any) -> int:
    some = list(rows.values_list("pk", flat=True)[:AT_ONCE])
    deleted: int = rows.filter(pk__in=some).delete()[0] if some else 0
    return deleted


def _erase_drafts(deletion: DeletedAccount) -> bool:
    """Erase drafts; one that is being published is locked, and no longer a draft afterwards."""
    erased = 0
    for model in (*_MODELS, AcceptanceTest):
        drafts: Any = model.objects.filter(author=deletion.user, state=Work.State.DRAFT)
        locked = [row.pk for row in drafts.select_for_update(of=("self",)).only("pk")[:AT_ONCE]]
        erased += drafts.filter(pk__in=locked).delete()[0]
    return erased > 0


def _withdraw_work(deletion: DeletedAccount) -> bool:
    shown = {"author": deletion.user, "state": Work.State.PUBLISHED, "function__deleted_at": None}
    for model in _MODELS:
        if work := model.objects.filter(**shown).first():
            withdraw(actor=deletion.user, work=work)
            return True
    return False


def _withdraw_acceptance_test(deletion: DeletedAccount) -> bool:
    """Withdraw one, also if its author doesn't own the function any more."""
    shown = AcceptanceTest.objects.filter(author=deletion.user, state=Work.State.PUBLISHED)
    locked = shown.select_related("function", "target").select_for_update(of=("self",)).first()
    if locked is None:
        return False
    locked.state, locked.withdrawn_at = AcceptanceTest.State.WITHDRAWN, timezone.now()
    locked.save(update_fields=["state", "withdrawn_at"])
    publish_verdict(locked)
    return True


def _delete_function(deletion: DeletedAccount) -> bool:
    """Delete a function of theirs on which nobody else has worked, and which nothing uses."""
    function = next(filter(_is_only_theirs, _functions_of(deletion.user)), None)
    if function is not None:
        delete_function(actor=deletion.user, function=function)
    return function is not None


def _functions_of(user: User) -> Any:
    return Function.objects.filter(owner=user, deleted_at=None).order_by("pk")


def _is_only_theirs(function: Function) -> bool:
    works = any(model.objects.filter(_LIVING, function=function).exists() for model in _MODELS)
    said = Comment.objects.filter(_LIVING, function=function, deleted_at=None)
    tests = AcceptanceTest.objects.filter(_LIVING, Q(function=function) | Q(target=function))
    is_used = any(pk != function.pk for pk in dependent_ids(function.pk))
    return not (works or is_used or said.exists() or tests.exists())


def _delete_comment(deletion: DeletedAccount) -> bool:
    said = Comment.objects.filter(author=deletion.user, deleted_at=None)
    # Of deleted functions, nobody sees them.
    unseen = said.exclude(function__deleted_at=None).update(text="", deleted_at=Now())
    if comment := said.filter(function__deleted_at=None).first():
        delete_comment(actor=deletion.user, comment=comment)
    return bool(comment or unseen)


def _delete_votes(deletion: DeletedAccount) -> bool:
    """Delete votes; a trigger takes each out of its tally, which is joined after the commit."""
    votes = Vote.objects.filter(voter=deletion.user).order_by("pk")[:AT_ONCE]
    for vote in (some := list(votes)):
        for model in (*_MODELS, Comment):
            if (item := getattr(vote, f"{model.noun}_id")) is not None:
                enqueue_join(view_name(model), item)
    Vote.objects.filter(pk__in=[vote.pk for vote in some]).delete()
    return bool(some)


def resume(_cursor: int) -> int:
    """Enqueue the last look, also if a step was given up; called by the sweeper."""
    due = Now() - LAST_LOOK_AFTER
    unfinished = DeletedAccount.objects.filter(finished_at=None, deleted_at__lte=due)
    for pk in unfinished.order_by("deleted_at").values_list("pk", flat=True)[:AT_ONCE]:
        enqueue_follow_up(FINISH, str(pk))
    return 0


HANDLERS = Handlers(
    follow_ups={FINISH: for_each_target(finish_deletion)},
    periodic_tasks={PeriodicTask("account-deletions", RESUME_SECONDS, resume)},
)
