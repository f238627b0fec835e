"""Writes events as the site does: records outcomes, appends events and sequences them.

Runs in a separate process with Django set up.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.bare import tiny_programs
from benchmarks.machinery import await_end, submit
from benchmarks.stream_bare import noise
from functions.models import Function
from runner.events.sequencer import sequence_topics
from runner.events.task_events import NewEvent, append_events
from runner.events.topics import heads, open_topic
from runner.models import Event
from runner.sandbox import Outcome, Verdict
from runner.workers.claims import claim
from runner.workers.recorder import Run, record
from runner.workers.writer import GATHER_SECONDS
from socialcode.accounts.sessions import SessionStore

# Commit time of each event, by topic and sequence.
Committed = dict[str, dict[int, float]]


def make_topics(count: int) -> list[str]:
    """Create functions; return their topics."""
    owner, _ = User.objects.get_or_create(username="bench")
    names = [f"Bench{secrets.token_hex(8)}" for _ in range(count)]
    rows = [Function(name=name, name_key=name.lower(), owner=owner) for name in names]
    topics = [f"function:{row.pk}" for row in Function.objects.bulk_create(rows)]
    for topic in topics:
        open_topic(topic)
    return topics


def sign_in(count: int) -> list[str]:
    """Create signed-in users; return their cookies."""
    users = [User(username=f"reader-{secrets.token_hex(8)}") for _ in range(count)]
    cookies = []
    with transaction.atomic():
        for user in User.objects.bulk_create(users):
            session = SessionStore()
            session[SESSION_KEY] = str(user.pk)
            session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
            session[HASH_SESSION_KEY] = user.get_session_auth_hash()
            session.create()
            cookies.append(f"{settings.SESSION_COOKIE_NAME}={session.session_key}")
    return cookies


def run_batch(topics: list[str], tasks: int, seconds: float) -> Committed:
    """Finish a batch's tasks evenly over this time; return the commit times of their events.

    They are claimed and recorded as by a worker, at its pace, but not executed.
    """
    (topic,) = topics
    first = time.time_ns()  # distinct programs in all rounds and writers
    batch = submit(tiny_programs(range(first, first + tasks)), topic=topic)
    runs: deque[Run] = deque()
    committed_at: dict[str, float] = {}
    began = time.monotonic()
    while len(committed_at) < tasks:
        time.sleep(GATHER_SECONDS)
        due = min(tasks, round((time.monotonic() - began) / seconds * tasks)) - len(committed_at)
        while len(runs) < due:
            claimed = claim("bench")
            runs += map(Run, claimed.claims)
            sequence_topics(claimed.topic_ids)
        ended = [runs.popleft() for _ in range(due)]
        to_join = record([(run, Outcome(Verdict.PASSED)) for run in ended])
        now = time.monotonic()
        committed_at |= {run.claim.key.hex(): now for run in ended}
        sequence_topics(to_join)
    await_end(batch)
    rows = Event.objects.filter(topic__name=topic, type="task.finished").values_list(
        "seq", "payload__key"
    )
    return {topic: {seq: committed_at[key] for seq, key in rows if key in committed_at}}


def scatter(topics: list[str], count: int, seconds: float) -> Committed:
    """Append events evenly over this time and all topics; return their commit times."""
    ids = {topic: open_topic(topic).id for topic in topics}
    last = {topic: head.seq for topic, head in heads(topics).items()}
    committed: Committed = {topic: {} for topic in topics}
    began, done = time.monotonic(), 0
    while done < count:
        time.sleep(GATHER_SECONDS)
        due = min(count, round((time.monotonic() - began) / seconds * count))
        told = [topics[number % len(topics)] for number in range(done, due)]
        _append(told, ids, {})
        now = time.monotonic()
        for topic in told:
            last[topic] += 1
            committed[topic][last[topic]] = now
        sequence_topics(ids[topic] for topic in told)
        done = due
    return committed


def flood(topic: str, count: int, size: int) -> int:
    """Append large events as fast as possible; return the topic's head."""
    ids = {topic: open_topic(topic).id}
    for _ in range(count):
        _append([topic], ids, {"text": noise(size)})
        sequence_topics(ids.values())
    return heads([topic])[topic].seq


def _append(topics: list[str], ids: dict[str, int], more: dict[str, Any]) -> None:
    payload = {"item": "implementation", "id": 1, "score": 1, **more}
    with transaction.atomic():
        append_events([NewEvent(ids[topic], "tally.changed", payload) for topic in topics])


def positions(topics: list[str]) -> dict[str, int]:
    """Return the heads of these topics."""
    return {topic: head.seq for topic, head in heads(topics).items()}
