"""Doorbell jobs."""

import functools
import logging
import time
from typing import Any, NamedTuple

import django_rq
import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue, Worker

log = logging.getLogger(__name__)

QUEUE = "runs"
DRAIN = "runner.jobs.drain"
# A bell that nobody heard for so long says nothing that the sweeper doesn't say again.
DOORBELL_TTL_SECONDS = 60
# Nobody waits for a Redis that does not answer: neither once for long, nor again and again.
REDIS_TIMEOUT_SECONDS = 0.5
REDIS_PAUSE_SECONDS = 2.0


_paused_until = 0.0


def notify_workers(ready: int | None = None) -> bool:
    """Tell idle workers that there is work; never raises, says whether Redis took it.

    There are never more bells waiting than workers. Where it is known how much is `ready`, no more
    workers are woken than can each have some of it: they would be in one another's way.
    """
    global _paused_until  # noqa: PLW0603 - one Redis per process
    if time.monotonic() < _paused_until:
        return False
    try:
        queue = _queue()
        missing = settings.WORKERS - queue.count
        if ready is not None:
            missing = min(missing, ready)
        if missing > 0:
            queue.enqueue_many([_doorbell_job() for _ in range(missing)])
    except redis.RedisError as error:
        _paused_until = time.monotonic() + REDIS_PAUSE_SECONDS
        log.warning("the bell cannot be rung, the sweeper sees to it: %s", error)
        return False
    return True


class QueueState(NamedTuple):
    """Bells that nobody heard yet, and who listens: machine and process, as attempts name them."""

    bells: int
    workers: list[str]


def read_queue_state() -> QueueState:
    """Ask Redis; raises `redis.RedisError`."""
    queue = _queue()
    workers = Worker.all(queue=queue, serializer=queue.serializer)
    return QueueState(queue.count, sorted(f"{worker.hostname}:{worker.pid}" for worker in workers))


def _doorbell_job() -> Any:
    return Queue.prepare_data(
        DRAIN,
        timeout=-1,
        result_ttl=0,
        # With 0 RQ trips over the bell of a worker that was killed: it looks for what has expired.
        failure_ttl=DOORBELL_TTL_SECONDS,
        ttl=DOORBELL_TTL_SECONDS,
        description="drain",
    )


def open_redis() -> redis.Redis:
    """Return connections to Redis that give up soon."""
    return _queue().connection


@functools.cache
def _queue() -> Queue:
    """Return the queue, over connections that give up soon."""
    impatient = redis.Redis.from_url(
        settings.RQ_QUEUES[QUEUE]["URL"],
        socket_timeout=REDIS_TIMEOUT_SECONDS,
        socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return django_rq.get_queue(QUEUE, connection=impatient)
