"""Votes: one of each user on each work, and a tally that is always their sum."""

from typing import Any

from django.db import transaction
from django.db.models import F

from functions.errors import Conflict, Refusal
from functions.evaluation import settle_soon
from functions.models import Implementation, Test, Vote, Work
from functions.permissions import is_author, require_account, require_visible
from runner.outbox import append_event
from runner.registry import Actor


@transaction.atomic
def cast_vote(*, actor: Actor, work: Implementation | Test, value: int) -> int:
    """Vote 1 or -1 on somebody's published work, or take a vote back by 0; returns the score."""
    voter = require_account(actor)
    require_visible(actor, work)
    if isinstance(value, bool) or value not in (-1, 0, 1):
        raise Refusal("invalid_value", "A vote is 1, 0 or -1.", field="value")
    if is_author(voter, work):
        raise Refusal("own_work", f"This {work.noun} is yours: others vote on it.", field="value")
    # All votes on one work wait for one another here, so the tally misses none.
    rows = type(work).objects.select_related("function")
    locked = rows.select_for_update(no_key=True, of=("self",)).get(pk=work.pk)
    if locked.state != Work.State.PUBLISHED:
        raise Conflict("not_published", f"This {work.noun} is {locked.state}: nobody votes on it.")
    subject: dict[str, Any] = {work.noun: locked}
    former = Vote.objects.filter(voter=voter, **subject).first()
    change = value - (former.value if former else 0)
    if change == 0:
        return locked.score
    if former is None:
        Vote.objects.create(voter=voter, value=value, **subject)
    else:
        former.value = value
        former.save(update_fields=["value"])
    type(work).objects.filter(pk=locked.pk).update(score=F("score") + change)
    score = locked.score + change
    tally = {"item": work.noun, "id": locked.pk, "score": score}
    append_event(locked.function.topic, "tally.changed", tally)
    settle_soon([locked.function_id], cause=f"votes on {work.noun} {locked}")
    return score
