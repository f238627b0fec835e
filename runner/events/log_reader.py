"""Reads the next events of many topics in one query."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from django.db import connection

from runner.events.topics import PAGE_EVENTS, Entry

# Lateral, so that the planner scans the index for each topic, whatever its statistics are.
_NEXT = """
    select p.number, e.seq, e.type, e.payload, e.created_at
    from unnest(%s::bigint[], %s::bigint[]) with ordinality as p (topic_id, after, number)
    cross join lateral (
        select v.seq, v.type, v.payload, v.created_at from runner_event v
        where v.topic_id = p.topic_id and v.seq > p.after
        order by v.seq limit %s
    ) e
    order by p.number, e.seq
"""


class Position(NamedTuple):
    """A position in a topic's log: after this sequence number."""

    topic_id: int
    after: int


class EventPage(NamedTuple):
    """The events after a position: in order, from the first, without gaps."""

    entries: list[Entry]
    is_full: bool  # more may follow


def read_pages(positions: Sequence[Position]) -> list[EventPage]:
    """Return the events after each position, together at most PAGE_EVENTS.

    Events are numbered under the topic's lock, so committed events have no gaps.
    """
    limit = max(1, PAGE_EVENTS // len(positions))
    pages = [EventPage([], is_full=False) for _ in positions]
    with connection.cursor() as cursor:
        ids, afters = zip(*positions, strict=True)
        cursor.execute(_NEXT, [list(ids), list(afters), limit])
        for number, seq, kind, payload, at in cursor:
            pages[number - 1].entries.append(Entry(seq, kind, json.loads(payload), at))
    return [page._replace(is_full=len(page.entries) == limit) for page in pages]
