"""Use cases of votes: one per user and item, with an exact tally."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils.translation import gettext as _

from functions.errors import Conflict, Refusal, no_such
from functions.models import Work
from functions.permissions import require_account
from functions.voting.agent_votes import cast_as_set
from functions.voting.cast import VoteResult
from functions.voting.votables import AnyVotable
from runner.pipelines.materialized_views import apply_target, enqueue_join
from runner.registry import Actor


def cast_vote(*, actor: Actor, work: AnyVotable, value: int) -> int:
    """Vote on this work or comment as `vote_on` does; return its score."""
    return vote_on(actor=actor, model=type(work), pk=work.pk, value=value).score


def vote_on(*, actor: Actor, model: type[AnyVotable], pk: int, value: int) -> VoteResult:
    """Vote 1 or -1 on a published item, or withdraw the vote with 0.

    The scores returned are those with this vote. The row has them a moment later, when the tally is
    updated.
    """
    vote = _vote(actor, model, pk, value)
    for view in vote.views:
        _apply(view, pk)
    return vote


@transaction.atomic
def cast_votes(*, work: AnyVotable, values: Mapping[User, int]) -> None:
    """Cast votes of several users on a work, and update its tally once."""
    votes = [_vote(voter, type(work), work.pk, value) for voter, value in values.items()]
    for view in sorted({view for vote in votes for view in vote.views}):
        _apply(view, work.pk)


def _vote(actor: Actor, model: type[AnyVotable], pk: int, value: int) -> VoteResult:
    voter = require_account(actor)
    noun = model.noun
    if isinstance(value, bool) or value not in (-1, 0, 1):
        raise Refusal("invalid_value", _("A vote is 1, 0 or -1."), field="value")
    vote = cast_as_set(voter.pk, model, pk, value)
    if vote is None or (vote.state == Work.State.DRAFT and vote.author_id != voter.pk):
        raise no_such(noun)
    if vote.is_own:
        raise Refusal("own_work", _is_own(noun), field="value")
    if vote.state != Work.State.PUBLISHED:
        raise Conflict("not_published", _is_closed(noun, vote.state))
    if vote.is_archived:
        raise Conflict("function_archived", _is_archived(noun))
    return vote


def _is_own(noun: str) -> str:
    return {
        "implementation": _("This implementation is yours; only others can vote on it."),
        "test": _("This test is yours; only others can vote on it."),
        "comment": _("This comment is yours; only others can vote on it."),
    }[noun]


def _is_closed(noun: str, state: str) -> str:
    return {
        ("implementation", "withdrawn"): _("This implementation is withdrawn and takes no votes."),
        ("test", "withdrawn"): _("This test is withdrawn and takes no votes."),
        ("comment", "deleted"): _("This comment is deleted and takes no votes."),
        ("comment", "hidden"): _("This comment is hidden and takes no votes."),
    }[noun, state]


def _is_archived(noun: str) -> str:
    return {
        "implementation": _("This implementation's function is archived and takes no votes."),
        "test": _("This test's function is archived and takes no votes."),
        "comment": _("This comment's function is archived and takes no votes."),
    }[noun]


def _apply(view: str, work_id: int) -> None:
    """Update a tally, within the current transaction if possible, else soon after."""
    if not connection.in_atomic_block or not apply_target(view, work_id):
        enqueue_join(view, work_id)
