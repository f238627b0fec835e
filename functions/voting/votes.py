"""Votes: one of each user on each work and comment, and a tally that follows them exactly."""

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import connection, transaction

from functions.errors import Conflict, NotFound, Refusal
from functions.models import Work
from functions.permissions import require_account
from functions.voting.cast import Cast, cast, view_name
from functions.voting.votables import AnyVotable
from runner.pipelines.materialized_views import apply_target, enqueue_join
from runner.registry import Actor


def cast_vote(*, actor: Actor, work: AnyVotable, value: int) -> int:
    """Vote on this work or comment as `vote_on` does."""
    return vote_on(actor=actor, model=type(work), pk=work.pk, value=value)


def vote_on(*, actor: Actor, model: type[AnyVotable], pk: int, value: int) -> int:
    """Vote 1 or -1 on what somebody has published or said, or take a vote back by 0.

    Returns the score with this vote. The row shows it a moment later, when its tally is joined.
    """
    vote = _vote(actor, model, pk, value)
    if vote.is_changed:
        _count(view_name(model), pk)
    return vote.score


@transaction.atomic
def cast_votes(*, work: AnyVotable, values: Mapping[User, int]) -> None:
    """Have several people vote on a work as `cast_vote` does, and count that once."""
    votes = [_vote(voter, type(work), work.pk, value) for voter, value in values.items()]
    if any(vote.is_changed for vote in votes):
        _count(view_name(type(work)), work.pk)


def _vote(actor: Actor, model: type[AnyVotable], pk: int, value: int) -> Cast:
    voter = require_account(actor)
    noun = model.noun
    if isinstance(value, bool) or value not in (-1, 0, 1):
        raise Refusal("invalid_value", "A vote is 1, 0 or -1.", field="value")
    vote = cast(voter.pk, model, pk, value)
    is_own = vote is not None and vote.author_id == voter.pk
    if vote is None or (vote.state == Work.State.DRAFT and not is_own):
        raise NotFound("not_found", f"There is no such {noun}.")
    if is_own:
        raise Refusal("own_work", f"This {noun} is yours: others vote on it.", field="value")
    if vote.state != Work.State.PUBLISHED:
        raise Conflict("not_published", f"This {noun} is {vote.state}: nobody votes on it.")
    if vote.is_archived:
        raise Conflict("function_archived", f"This {noun}'s function is archived: nobody votes.")
    return vote


def _count(view: str, work_id: int) -> None:
    """Have the vote counted: soon after, or with all else that is done in the same transaction."""
    if not connection.in_atomic_block or not apply_target(view, work_id):
        enqueue_join(view, work_id)
