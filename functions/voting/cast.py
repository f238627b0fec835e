"""Casts a vote in one statement: upserts it, keeps its history, queues its difference.

The work's row isn't locked, so voters never wait for each other.
"""

from typing import NamedTuple

from django.db import connection

from functions.voting.votables import VOTABLES, AnyVotable, arrivals_of

# All reads see the same snapshot. A total is the stored one, plus arrivals not added to it yet,
# minus the voter's former vote, plus the new one; correct also for concurrent votes of one user.
# Accounts of one person may not vote for each other's works. A vote is in one of two tallies: an
# agent's is apart, and moves if the voter was none before.
_CAST = """
    with voter as (
        select coalesce(max(person_id), %(voter)s) as person,
            count(person_id) > 0 or exists (
                select from functions_agentlabel where user_id = %(voter)s) as is_agent
        from functions_agent where user_id = %(voter)s
    ), work as (
        select w.id, {state} as state, w.score, w.agent_score, w.author_id,
            f.archived_at is not null as archived,
            coalesce((select person_id from functions_agent where user_id = w.author_id),
                     w.author_id) = voter.person as own
        from functions_{noun} w join functions_function f on f.id = w.function_id, voter
        where w.id = %(work)s and ({is_there})
    ), former as (
        select value, apart from functions_vote where voter_id = %(voter)s and {noun}_id = %(work)s
    ), cast_now as (
        insert into functions_vote as v
            (voter_id, {noun}_id, value, sequence, changed_at, by_agent, apart)
        select %(voter)s, id, %(value)s, 1, statement_timestamp(), is_agent, is_agent
        from work, voter
        where state = 'published' and not own and not archived
            and (%(value)s <> 0 or exists (select from former))
        on conflict (voter_id, {noun}_id) where {noun}_id is not null do update
            set value = excluded.value, sequence = v.sequence + 1, changed_at = excluded.changed_at,
                by_agent = excluded.by_agent, apart = excluded.apart
            where (v.value, v.by_agent, v.apart)
                <> (excluded.value, excluded.by_agent, excluded.apart)
        returning new.id, new.sequence, new.value, new.apart,
            coalesce(old.value, 0) as former, coalesce(old.apart, new.apart) as former_apart
    ), history as (
        insert into functions_votechange (voter_id, vote_id, former, value)
        select %(voter)s, id, former, value from cast_now where former <> value
    ), queued as (
        {arrivals}
    ), pending as (
        select coalesce(sum(difference) filter (where view = '{noun}_votes'), 0)::integer as votes,
            coalesce(sum(difference) filter (where view = '{noun}_agent_votes'), 0)::integer
                as agent_votes
        from runner_arrival
        where view in ('{noun}_votes', '{noun}_agent_votes') and target = %(work)s
    )
    select state, author_id, own, archived, array(select view from queued), voter.is_agent,
        voter.person,
           score + pending.votes - coalesce((select value from former where not apart), 0)
               + case when voter.is_agent then 0 else %(value)s end,
           agent_score + pending.agent_votes
               - coalesce((select value from former where apart), 0)
               + case when voter.is_agent then %(value)s else 0 end
    from work, voter, pending
"""
_STATEMENTS = {
    noun: _CAST.format(
        noun=noun,
        state=votable.state,
        is_there=votable.is_there,
        arrivals=arrivals_of("cast_now", f"'{noun}'", "%(work)s"),
    )
    for noun, votable in VOTABLES.items()
}


class VoteResult(NamedTuple):
    """The result of casting a vote; unpublished, archived and own works are left unchanged.

    Works of one's agents, and of their person and their other agents, are one's own, too.
    """

    state: str
    author_id: int
    is_own: bool
    is_archived: bool
    views: list[str]  # materialised views with an update
    is_apart: bool  # counted in `agent_score`
    person_id: int  # who answers for the voter
    score: int  # both including this vote and all others cast so far
    agent_score: int

    @property
    def is_changed(self) -> bool:
        return bool(self.views)


def view_name(model: type[AnyVotable]) -> str:
    """Return the name of the materialised view that tallies the votes on this model."""
    return VOTABLES[model.noun].view_name


def cast(voter_id: int, model: type[AnyVotable], pk: int, value: int) -> VoteResult | None:
    """Cast a vote if the rules allow it; None if the item or its function doesn't exist.

    An agent's is counted apart, also where it should not be: see `agent_votes`.
    """
    parameters = {"voter": voter_id, "work": pk, "value": value}
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENTS[model.noun], parameters)
        row = cursor.fetchone()
    return VoteResult(*row) if row else None
