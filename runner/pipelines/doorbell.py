"""Doorbell jobs: RQ jobs that wake workers and carry no data.

They may be lost, doubled or late: the sweeper enqueues them again.
"""

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
# The sweeper enqueues another one sooner.
DOORBELL_TTL_SECONDS = 60
REDIS_TIMEOUT_SECONDS = 0.5
# After a failure, Redis is not tried again for this long, so that callers are delayed only once.
REDIS_PAUSE_SECONDS = 2.0

_paused_until = 0.0


def notify_workers(ready: int | None = None) -> bool:
    """Enqueue doorbell jobs; return whether Redis is reachable. Never raises.

    The queue never holds more jobs than there are workers. `ready` is the number of ready programs:
    no more workers than that are woken, because the others would only compete for them.
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
        log.warning("doorbell jobs can't be enqueued, workers poll: %s", error)
        return False
    return True


class QueueState(NamedTuple):
    """The number of doorbell jobs in the queue, and the workers, as `host:pid`."""

    bells: int
    workers: list[str]


def read_queue_state() -> QueueState:
    """Read the queue's state from Redis; raises `redis.RedisError`."""
    queue = _queue()
    workers = Worker.all(queue=queue, serializer=queue.serializer)
    return QueueState(queue.count, sorted(f"{worker.hostname}:{worker.pid}" for worker in workers))


def _doorbell_job() -> Any:
    return Queue.prepare_data(
        DRAIN,
        timeout=-1,
        result_ttl=0,
        # With 0, RQ fails on the job of a killed worker when it looks for expired jobs.
        failure_ttl=DOORBELL_TTL_SECONDS,
        ttl=DOORBELL_TTL_SECONDS,
        description="drain",
    )


def open_redis() -> redis.Redis:
    """Return the queue's Redis client, which has a short timeout."""
    return _queue().connection


@functools.cache
def _queue() -> Queue:
    client = redis.Redis.from_url(
        settings.RQ_QUEUES[QUEUE]["URL"],
        socket_timeout=REDIS_TIMEOUT_SECONDS,
        socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return django_rq.get_queue(QUEUE, connection=client)
