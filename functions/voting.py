"""Votes: one of each user on each work, and a tally that follows them exactly."""

from django.db import connection
from django.db.models import Q

from functions.casting import cast, view_name
from functions.errors import Conflict, NotFound, Refusal
from functions.models import Implementation, Test, Work
from functions.permissions import is_author, require_account, require_visible
from runner.pipelines.views import join, join_soon
from runner.registry import Actor


def find_work(model: type[Implementation | Test], pk: int) -> Implementation | Test | None:
    """Return a work, if it or its function is there, with no more of it than voting asks for."""
    at_hand = Q(function__deleted_at=None) | Q(state=Work.State.DRAFT)
    rows = model.objects.filter(at_hand, pk=pk)
    return rows.only("state", "number", "author_id", "function_id").first()


def cast_vote(*, actor: Actor, work: Implementation | Test, value: int) -> int:
    """Vote 1 or -1 on somebody's published work, or take a vote back by 0; returns the score.

    That is with this vote. The work's own row shows it a moment later, when its tally is joined.
    """
    voter = require_account(actor)
    require_visible(actor, work)
    if isinstance(value, bool) or value not in (-1, 0, 1):
        raise Refusal("invalid_value", "A vote is 1, 0 or -1.", field="value")
    if is_author(voter, work):
        raise Refusal("own_work", f"This {work.noun} is yours: others vote on it.", field="value")
    vote = cast(voter.pk, work, value)
    if vote is None:
        raise NotFound("not_found", f"There is no such {work.noun}.")
    if vote.state != Work.State.PUBLISHED:
        raise Conflict("not_published", f"This {work.noun} is {vote.state}: nobody votes on it.")
    if vote.is_changed:
        _count(view_name(type(work)), work.pk)
    return vote.score


def _count(view: str, work_id: int) -> None:
    """Have the vote counted: soon after, or with all else that is done in the same transaction."""
    if not connection.in_atomic_block or not join(view, work_id):
        join_soon(view, work_id)
