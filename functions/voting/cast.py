"""Casts a vote in one statement: upserts it, keeps its history, queues its difference.

The work's row isn't locked, so voters never wait for each other.
"""

from typing import NamedTuple

from django.db import connection

from functions.voting.votables import VOTABLES, AnyVotable

# All reads see the same snapshot. The total is the score, plus arrivals not added to it yet, minus
# the voter's former vote, plus the new one; correct also for concurrent votes of one user.
_CAST = """
    with work as (
        select w.id, {state} as state, w.score, w.author_id, f.archived_at is not null as archived,
            w.author_id = %(voter)s or exists (
                select from functions_agent
                where user_id = w.author_id and person_id = %(voter)s) as own
        from functions_{noun} w join functions_function f on f.id = w.function_id
        where w.id = %(work)s and ({is_there})
    ), former as (
        select value from functions_vote where voter_id = %(voter)s and {noun}_id = %(work)s
    ), cast_now as (
        insert into functions_vote as v (voter_id, {noun}_id, value, sequence, changed_at)
        select %(voter)s, id, %(value)s, 1, statement_timestamp() from work
        where state = 'published' and not own and not archived
            and (%(value)s <> 0 or exists (select from former))
        on conflict (voter_id, {noun}_id) where {noun}_id is not null do update
            set value = excluded.value, sequence = v.sequence + 1, changed_at = excluded.changed_at
            where v.value <> excluded.value
        returning new.id, new.sequence, new.value, coalesce(old.value, 0) as former
    ), history as (
        insert into functions_votechange (voter_id, vote_id, former, value)
        select %(voter)s, id, former, value from cast_now
    ), queued as (
        insert into runner_arrival (view, target, source, sequence, value, difference)
        select %(view)s, %(work)s, id, sequence, value, value - former from cast_now
        returning true
    )
    select state, author_id, own, archived, exists (select from queued),
           score + coalesce((select sum(difference) from runner_arrival
                             where view = %(view)s and target = %(work)s), 0)::integer
                 - coalesce((select value from former), 0) + %(value)s
    from work
"""
_STATEMENTS = {
    noun: _CAST.format(noun=noun, state=votable.state, is_there=votable.is_there)
    for noun, votable in VOTABLES.items()
}


class VoteResult(NamedTuple):
    """The result of casting a vote; unpublished, archived and own works are left unchanged.

    Works of one's agents are one's own, too.
    """

    state: str
    author_id: int
    is_own: bool
    is_archived: bool
    is_changed: bool
    score: int  # including this vote and all others cast so far


def view_name(model: type[AnyVotable]) -> str:
    """Return the name of the materialised view that tallies the votes on this model."""
    return VOTABLES[model.noun].view_name


def cast(voter_id: int, model: type[AnyVotable], pk: int, value: int) -> VoteResult | None:
    """Cast a vote if the rules allow it; None if the item or its function doesn't exist."""
    parameters: dict[str, int | str] = {
        "voter": voter_id,
        "work": pk,
        "value": value,
        "view": view_name(model),
    }
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENTS[model.noun], parameters)
        row = cursor.fetchone()
    return VoteResult(*row) if row else None
