"""The machinery's metrics for Prometheus.

Gauges are read from the database on request, at most once a second. Counters are summed in Redis by
all processes.
"""

import itertools
import logging
import threading
import time
from collections.abc import Iterator

import redis
from django.db import DatabaseError, InterfaceError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from runner.operations.health import Health, collect_health
from runner.pipelines.doorbell import QueueState, read_queue_state
from runner.telemetry.counters import (
    ATTEMPTS,
    BATCHES,
    BUCKETS,
    CLAIM_DELAY_SUM,
    CLAIM_DELAYS,
    FOLLOW_UPS,
    LABELS,
    VERDICTS,
    Counted,
    counters,
)

log = logging.getLogger(__name__)

PREFIX = "socialcode"
CACHE_SECONDS = 1.0

HELP = {
    ATTEMPTS: "Attempts at executions that have ended, by outcome; lost: its worker went silent",
    VERDICTS: "Runs whose outcome was recorded, by verdict",
    BATCHES: "Batches that have ended",
    FOLLOW_UPS: "Follow-ups that were run",
}


class _RunnerCollector(Collector):
    """Reads the database and Redis; if one is down, its metrics are left out and its `up` is 0."""

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily(f"{PREFIX}_up", "Whether an engine answers", labels=["engine"])
        yield from self._database_metrics(up)
        yield from self._redis_metrics(up)
        yield up

    def _database_metrics(self, up: GaugeMetricFamily) -> Iterator[Metric]:
        try:
            health = collect_health()
        except (DatabaseError, InterfaceError) as error:
            log.warning("no metrics of the database: %s", error)
            up.add_metric(["postgresql"], 0)
            return
        up.add_metric(["postgresql"], 1)
        yield from _gauges(health)

    def _redis_metrics(self, up: GaugeMetricFamily) -> Iterator[Metric]:
        try:
            queue, counted = read_queue_state(), counters.read()
        except redis.RedisError as error:
            log.warning("no metrics of Redis: %s", error)
            up.add_metric(["redis"], 0)
            return
        up.add_metric(["redis"], 1)
        yield from _queue_metrics(queue)
        yield from _counter_metrics(counted)


class _CachedText:
    """The exposition, cached for CACHE_SECONDS."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_RunnerCollector())
        self._read_at = -CACHE_SECONDS
        self._text = b""

    def text(self) -> bytes:
        with self._lock:
            if time.monotonic() - self._read_at >= CACHE_SECONDS:
                self._text = generate_latest(self._registry)
                self._read_at = time.monotonic()
            return self._text


_cached_text = _CachedText()


def exposition() -> bytes:
    """Return all metrics in Prometheus's text format."""
    return _cached_text.text()


def _gauges(health: Health) -> Iterator[Metric]:
    numbers = (
        ("ready_executions", "Executions that wait for a worker", health.ready),
        ("running_executions", "Executions that are leased to a worker", health.in_progress),
        ("expired_leases", "Executions whose worker went silent", health.leases_over),
        (
            "oldest_pending_seconds",
            "Age of the oldest batch in which a task is pending",
            health.oldest_pending_seconds,
        ),
        ("open_batches", "Batches that have not ended", health.open_batches),
        ("unnumbered_events", "Events without a sequence number", health.unnumbered_events),
        (
            "oldest_unnumbered_event_seconds",
            "Age of the oldest event without a sequence number",
            health.oldest_unnumbered_seconds,
        ),
        (
            "oldest_due_follow_up_seconds",
            "For how long the oldest follow-up has been due",
            health.oldest_follow_up_seconds,
        ),
        ("arrivals", "Updates that wait to be applied to a view", health.arrivals),
        (
            "oldest_arrival_seconds",
            "How far the views lag behind",
            health.oldest_arrival_seconds,
        ),
    )
    for name, text, number in numbers:
        yield GaugeMetricFamily(f"{PREFIX}_{name}", text, value=number)
    families = (
        ("open_tasks", "Tasks that have not ended", "state", health.tasks),
        (
            "waiting_follow_ups",
            "Follow-ups that were not run yet; those that have failed are in two of these",
            "state",
            health.follow_ups,
        ),
        ("tickets", "Open tickets of semaphores", "state", health.tickets),
        ("incidents_last_day", "Incidents of the last 24 hours", "kind", health.incidents),
    )
    for name, text, label, values in families:
        family = GaugeMetricFamily(f"{PREFIX}_{name}", text, labels=[label])
        for value, number in values.items():
            family.add_metric([value], number)
        yield family


def _queue_metrics(queue: QueueState) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        f"{PREFIX}_bells", "Doorbell jobs that no worker has taken", value=queue.bells
    )
    yield GaugeMetricFamily(
        f"{PREFIX}_workers",
        "Workers that wait for doorbell jobs or run programs",
        value=len(queue.workers),
    )


def _counter_metrics(counted: Counted) -> Iterator[Metric]:
    for name, label in LABELS.items():
        family = CounterMetricFamily(f"{PREFIX}_{name}", HELP[name], labels=[label])
        for (counter, value), number in sorted(counted.items()):
            if counter == name:
                family.add_metric([value], number)
        yield family
    counts = [counted.get((CLAIM_DELAYS, bound), 0.0) for bound in BUCKETS]
    buckets = list(zip(BUCKETS, itertools.accumulate(counts), strict=True))
    delays = HistogramMetricFamily(
        f"{PREFIX}_claim_delay_seconds", "From a program's submission to its first claim"
    )
    delays.add_metric([], buckets, counted.get((CLAIM_DELAY_SUM, ""), 0.0))
    yield delays
