"""Agents' votes: which of them decide, and the correction of those that are counted otherwise.

Without `SOCIALCODE_AGENT_VOTES_ELECT` all are counted apart. With it, a person and their agents
have one vote on an item that decides: the person's own, else that of the agent who cast theirs
first. A vote that an agent cast stays an agent's, whatever happens to its label, until it is cast
again; and a label makes all votes of its account agents' votes.
"""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from functions.models import AgentLabel
from functions.voting.cast import VoteResult, cast
from functions.voting.votables import VOTABLES, AnyVotable, arrivals_of

AT_ONCE = 500
IDS_AT_ONCE = 5_000
CHECK_SECONDS = 60
# Requests that began before a label was given have ended after this time.
LAST_LOOK_AFTER = timedelta(minutes=5)

# The one definition of how a vote is counted. A vote of 0 is in no tally.
_WRONG = """
    select v.id, v.sequence, g.person, v.voter_id, expected.by_agent, expected.apart
    from functions_vote v
    left join functions_agent a on a.user_id = v.voter_id
    cross join lateral (select coalesce(a.person_id, v.voter_id) as person) g
    cross join lateral (select v.by_agent or exists (
        select from functions_agentlabel where user_id = v.voter_id) as it) by_agent
    cross join lateral (select by_agent.it as by_agent,
        by_agent.it and (not %(elect)s or exists (
            select from functions_vote o
            where (o.implementation_id = v.implementation_id or o.test_id = v.test_id
                   or o.comment_id = v.comment_id)
                and o.value <> 0 and (o.voter_id = g.person or o.voter_id in (
                    select user_id from functions_agent where person_id = g.person))
                and (o.voter_id <> g.person, o.id) < (v.voter_id <> g.person, v.id))) as apart
    ) expected
    where {which} and v.value <> 0 and (v.by_agent, v.apart) <> (expected.by_agent, expected.apart)
    order by v.id limit %(most)s
"""
_OF_PERSON = """(v.voter_id = %(person)s or v.voter_id in (
    select user_id from functions_agent where person_id = %(person)s))"""
_ARRIVALS = arrivals_of(
    "changed",
    "case when changed.implementation_id is not null then 'implementation'"
    " when changed.test_id is not null then 'test' else 'comment' end",
    "coalesce(changed.implementation_id, changed.test_id, changed.comment_id)",
)
# A vote that was changed meanwhile has another sequence number, and is left to the next look.
_CORRECT = """
    with wrong as materialized ({wrong}), changed as (
        update functions_vote v
        set by_agent = wrong.by_agent, apart = wrong.apart, sequence = v.sequence + 1
        from wrong where v.id = wrong.id and v.sequence = wrong.sequence
        returning v.id, v.sequence, v.value, v.apart, v.value as former,
            old.apart as former_apart, v.implementation_id, v.test_id, v.comment_id
    ), queued as ({arrivals})
    select (select count(*) from changed), array(select distinct view from queued)
"""
_FIND = _WRONG.format(which="v.id > %(after)s and v.id <= %(last)s")
_CORRECT_OF_PERSON = _CORRECT.format(wrong=_WRONG.format(which=_OF_PERSON), arrivals=_ARRIVALS)
_CORRECT_ON_ITEM = {
    noun: _CORRECT.format(
        wrong=_WRONG.format(which=f"v.{noun}_id = %(item)s and {_OF_PERSON}"), arrivals=_ARRIVALS
    )
    for noun in VOTABLES
}
_LOCK_PERSON = """
    select from auth_user where id = coalesce(
        (select person_id from functions_agent where user_id = %(voter)s), %(voter)s)
    for no key update
"""
_SCORES = """
    select w.score + coalesce(sum(r.difference) filter (where r.view = '{noun}_votes'), 0)::integer,
        w.agent_score
            + coalesce(sum(r.difference) filter (where r.view = '{noun}_agent_votes'), 0)::integer,
        (select apart from functions_vote where voter_id = %(voter)s and {noun}_id = w.id)
    from functions_{noun} w left join runner_arrival r
        on r.view in ('{noun}_votes', '{noun}_agent_votes') and r.target = w.id
    where w.id = %(item)s group by w.id
"""
_LAST_ID = (
    "select max(id) from (select id from functions_vote where id > %s order by id limit %s) page"
)
_MAX_ID = 2**63 - 1


class WrongVote(NamedTuple):
    """A vote that is not counted as it should be."""

    id: int
    sequence: int
    person_id: int  # who answers for the voter
    voter_id: int
    by_agent: bool  # what should be, as the next
    apart: bool


def cast_as_set(voter_id: int, model: type[AnyVotable], pk: int, value: int) -> VoteResult | None:
    """Cast a vote as `cast` does, counted as the setting says."""
    if not settings.AGENT_VOTES_ELECT:
        return cast(voter_id, model, pk, value)
    with transaction.atomic(), connection.cursor() as cursor:
        # One vote of a person and their agents after another, as each may move the others.
        cursor.execute(_LOCK_PERSON, {"voter": voter_id})
        vote = cast(voter_id, model, pk, value)
        if vote is None:
            return None
        terms = {"voter": voter_id, "person": vote.person_id, "item": pk}
        _count, views = _correct(_CORRECT_ON_ITEM[model.noun], terms)
        cursor.execute(_SCORES.format(noun=model.noun), terms)
        score, agent_score, apart = cursor.fetchone()
    return vote._replace(
        score=score,
        agent_score=agent_score,
        is_apart=bool(apart),
        views=sorted({*vote.views, *views}),
    )


def find_wrong_votes(after: int = 0, last: int = _MAX_ID) -> list[WrongVote]:
    """Return the first votes between these ids that are not counted as they should be."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, {**_common(), "after": after, "last": last})
        return [WrongVote(*row) for row in cursor]


def correct_votes(cursor: int) -> int:
    """Correct votes of new labels, and among the next ids; called by the sweeper.

    Returns the next cursor, 0 at the end.
    """
    _settle_labels()
    with connection.cursor() as query:
        query.execute(_LAST_ID, [cursor, IDS_AT_ONCE])
        last: int | None = query.fetchone()[0]
    if last is None:
        return 0
    for person in {vote.person_id for vote in find_wrong_votes(cursor, last)}:
        correct_votes_of(person)
    return last


def correct_all() -> int:
    """Correct all votes, as after a change of the setting; return how many were wrong."""
    count = 0
    while wrong := find_wrong_votes():
        count += sum(map(correct_votes_of, {vote.person_id for vote in wrong}))
    return count


def correct_votes_of(person_id: int) -> int:
    """Correct the votes of a person and their agents; return how many were wrong."""
    count, more = 0, AT_ONCE
    while more == AT_ONCE:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_LOCK_PERSON, {"voter": person_id})
            more, _views = _correct(_CORRECT_OF_PERSON, {"person": person_id})
        count += more
    return count


def _settle_labels() -> None:
    """Make the votes of accounts that were labelled lately agents' votes."""
    for label in AgentLabel.objects.filter(settled_at=None).order_by("created_at")[:AT_ONCE]:
        if not correct_votes_of(label.pk) and label.created_at < timezone.now() - LAST_LOOK_AFTER:
            same = AgentLabel.objects.filter(pk=label.pk, created_at=label.created_at)
            same.update(settled_at=timezone.now())


def _correct(statement: str, terms: dict[str, int]) -> tuple[int, list[str]]:
    """Return how many votes were corrected, and the views that have an update of them."""
    with connection.cursor() as cursor:
        cursor.execute(statement, {**_common(), **terms})
        count, views = cursor.fetchone()
    return count, views


def _common() -> dict[str, int | bool]:
    return {"elect": settings.AGENT_VOTES_ELECT, "most": AT_ONCE}
