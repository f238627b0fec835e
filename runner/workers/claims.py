"""Claims executions for a worker, each under an expiring lease and a growing token."""

import json
import math
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction

from runner.programs.program import build_program
from runner.programs.sources import read_sources
from runner.sandbox import Program
from runner.telemetry.counters import observe
from runner.telemetry.families import CLAIM_DELAYS
from runner.workers.start_events import mark_started

MAX_CLAIMS = 32
# Shares are not split further than this.
MIN_SHARE = 4
# With much work waiting, the longest time until work before the scan's start is found.
FULL_SCAN_SECONDS = 1.0
_LOWEST = (-32_768, 0)  # priority and virtual time

# `lead` is the first ready execution that no other worker is claiming. It is claimed together with
# others from a window of the nearest ones: first those of its priority and tag, then those of its
# priority. At most a fair share is claimed, to leave work for idle workers. An exclusive execution
# is claimed alone.
#
# While several owners have work, owners at the cap (`fill`, of running executions and those claimed
# here) come after the others, but are not left out while a worker is idle. Running executions are
# counted only then, and only those with valid leases: the rest of the index is dead rows. The
# counts are one JSON object, because a join with them would compare each row with each owner.
#
# Rows are looked up one by one, because a join would read all of a small table. The window is read
# in index order: with outdated statistics, the planner would read and sort everything.
_CLAIM = """
    set local enable_bitmapscan = off;
    with nearest as materialized (
        (select id, owner_id, tag, alone, priority, vtime from runner_execution
        where state in (0, 2) and (due_at is null or due_at <= now())
            and (priority, vtime) >= (%(from_priority)s, %(from_vtime)s)
        order by priority, vtime, id limit %(window)s)
        union all
        (select id, owner_id, tag, alone, priority, vtime from runner_execution
        where state in (0, 2) and (due_at is null or due_at <= now())
            and priority < %(from_priority)s
        order by priority, vtime, id limit %(window)s)
    ), busy as materialized (
        select coalesce(jsonb_object_agg(owner, runs), '{}') as runs_of from (
            select coalesce(owner_id, 0) as owner, count(*) as runs from runner_execution
            where state = 1 and leased_until > now() and (
                select min(coalesce(owner_id, 0)) < max(coalesce(owner_id, 0)) from nearest)
            group by 1) o
    ), candidates as materialized (
        select n.*, coalesce((b.runs_of -> coalesce(owner_id, 0)::text)::int, 0) as runs
        from nearest n cross join busy b
    ), lead as materialized (
        select n.id, n.tag, n.alone from (
            select * from candidates
            where not (alone and %(ahead)s)
            order by priority, runs >= %(fill)s, vtime, id
        ) n cross join lateral (
            select from runner_execution e where e.id = n.id and e.state in (0, 2)
            for no key update skip locked
        ) e limit 1
    ), ranked as materialized (
        select n.id, n.priority, n.tag <> l.tag as differs, n.vtime,
            n.runs + row_number() over (
                partition by n.owner_id order by n.id <> l.id, n.priority, n.tag <> l.tag, n.vtime
            ) > %(fill)s as has_fill
        from lead l cross join candidates n
        where not n.alone and not l.alone
    ), others as materialized (
        select r.id from (
            select id from ranked where id <> (select id from lead)
            order by priority, has_fill, differs, vtime, id
        ) r cross join lateral (
            select from runner_execution e where e.id = r.id and e.state in (0, 2)
            for no key update skip locked
        ) e
        limit (select greatest(%(fewest)s, least(%(most)s, count(*) / %(shares)s)) - 1 from nearest)
    ), claimed as (
        update runner_execution e
        set state = 1, token = e.token + 1, attempts = e.attempts + 1, due_at = null,
            leased_until = now() + make_interval(secs => %(lease)s), worker = %(worker)s,
            claimed_at = now()
        where e.id = any(array(select id from lead union all select id from others))
        returning e.id, e.key, e.token, e.attempts, e.alone, e.program, e.owner_id,
            e.priority, e.vtime,
            case when e.token = 1 then extract(epoch from now() - e.created_at)::float8 end as delay
    )
    select c.id, c.key, c.token, c.attempts, c.alone, c.program, c.owner_id, c.delay,
        (select count(*) from nearest), front.priority, front.vtime
    from claimed c, (select priority, vtime from nearest order by priority, vtime limit 1) front
    order by c.priority, c.vtime, c.id
"""
# Locked in key order, as everywhere, because submission and cancellation lock these rows too.
_EXTEND = """
    with held as materialized (
        select e.id from runner_execution e
        join unnest(%(ids)s::bigint[], %(tokens)s::bigint[]) as h (id, token) on h.id = e.id
        where e.id = any(%(ids)s) and e.token = h.token and e.state = 1
        order by e.key for no key update of e
    )
    update runner_execution e set leased_until = now() + make_interval(secs => %(lease)s)
    where e.id = any(array(select id from held))
    returning e.id
"""


class Claim(NamedTuple):
    """The right to run a program, until the lease ends or the execution gets a higher token."""

    execution_id: int
    key: bytes
    token: int
    attempt: int
    exclusive: bool
    program: dict[str, Any]
    owner_id: int | None


class Claimed(NamedTuple):
    """The claims, in the order to run them, and the topics that got events of retries."""

    claims: list[Claim]
    topic_ids: list[int]


class _ScanStart:
    """The position of the first ready execution at the last full scan.

    Before it are dead rows of ended executions, while some session holds an old snapshot, and few
    ready ones: those handed back or due for a retry. They wait for the next full scan, unless
    little else is ready.
    """

    def __init__(self) -> None:
        self._position = _LOWEST
        self._scanned_at = -math.inf

    def position(self) -> tuple[int, int]:
        """Return the priority and virtual time to scan from."""
        if time.monotonic() >= self._scanned_at + FULL_SCAN_SECONDS:
            self._position = _LOWEST
        return self._position

    def reset(self) -> None:
        """Make the next scan a full one."""
        self._position = _LOWEST

    def set(self, first: tuple[int, int]) -> None:
        """Store the first ready position, if it is that of a full scan."""
        if self._position == _LOWEST:
            self._position, self._scanned_at = first, time.monotonic()


scan_start = _ScanStart()


def claim(worker: str, *, ahead: bool = False) -> Claimed:
    """Claim a fair share of the ready executions; the caller sequences the topics.

    A worker that claims `ahead` is still running other programs, so it gets no exclusive ones.
    """
    shares = 2 * settings.WORKERS
    window = MAX_CLAIMS * shares
    terms = {
        "window": window,
        "fewest": MIN_SHARE,
        "most": MAX_CLAIMS,
        "shares": shares,
        "fill": settings.RUNS_PER_OWNER,
        "ahead": ahead,
        "lease": settings.LEASE_SECONDS,
        "worker": worker,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        rows = _fetch_claims(cursor, terms)
        claims = [
            Claim(execution_id, bytes(key), token, attempt, alone, json.loads(program), owner_id)
            for execution_id, key, token, attempt, alone, program, owner_id, _ in rows
        ]
        if not claims:
            return Claimed([], [])
        # Publish retries at once; first attempts are published if they last.
        topic_ids = mark_started([claim.execution_id for claim in claims if claim.attempt > 1])
    observe(CLAIM_DELAYS, [delay for *_, delay in rows if delay is not None])
    return Claimed(claims, topic_ids)


def _fetch_claims(cursor: Any, terms: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Claim from the scan's start; if nothing is ready from there on, scan everything."""
    while True:
        priority, vtime = position = scan_start.position()
        cursor.execute(_CLAIM, {**terms, "from_priority": priority, "from_vtime": vtime})
        cursor.nextset()  # skip the result of the setting
        rows = cursor.fetchall()
        if rows and rows[0][-3] >= terms["window"]:
            scan_start.set(rows[0][-2:])
        else:
            scan_start.reset()
        if rows or position == _LOWEST:
            return [row[:-3] for row in rows]


def extend_leases(claims: Sequence[Claim]) -> set[int]:
    """Extend the leases; return the ids of the executions that these claims still hold."""
    terms: dict[str, Any] = {
        "lease": settings.LEASE_SECONDS,
        "ids": [claim.execution_id for claim in claims],
        "tokens": [claim.token for claim in claims],
    }
    with connection.cursor() as cursor:
        cursor.execute(_EXTEND, terms)
        return {execution_id for (execution_id,) in cursor}


def build_programs(claims: Iterable[Claim]) -> dict[int, Program | Exception]:
    """Return the programs by execution id, or the error if one can't be built."""
    claims = list(claims)
    sources = read_sources({sha256 for each in claims for _, sha256, _ in each.program["modules"]})
    programs: dict[int, Program | Exception] = {}
    for each in claims:
        try:
            programs[each.execution_id] = build_program(each.key, each.program, sources)
        except (KeyError, TypeError, ValueError) as error:
            programs[each.execution_id] = error
    return programs
