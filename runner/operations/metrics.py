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
from runner.telemetry import gauges
from runner.telemetry.counters import Counted, counters
from runner.telemetry.families import SUM, Family, declared_families

log = logging.getLogger(__name__)

PREFIX = "socialcode"
CACHE_SECONDS = 1.0


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
            queue, counted, levels = read_queue_state(), counters.read(), gauges.read()
        except redis.RedisError as error:
            log.warning("no metrics of Redis: %s", error)
            up.add_metric(["redis"], 0)
            return
        up.add_metric(["redis"], 1)
        yield from _queue_metrics(queue)
        yield from _level_metrics(levels)
        for family in declared_families():
            yield (_histogram if family.bounds else _counter)(family, counted)


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


def _level_metrics(levels: gauges.Levels) -> Iterator[Metric]:
    for gauge in gauges.declared_gauges():
        family = GaugeMetricFamily(f"{PREFIX}_{gauge.name}", gauge.help, labels=gauge.labels)
        for (name, value), level in sorted(levels.items()):
            if name == gauge.name:
                family.add_metric([value] if gauge.labels else [], level)
        yield family


def _counter(family: Family, counted: Counted) -> Metric:
    metric = CounterMetricFamily(f"{PREFIX}_{family.name}", family.help, labels=family.labels)
    for (name, series), number in sorted(counted.items()):
        if name == family.name:
            metric.add_metric(series.split(" ", len(family.labels) - 1), number)
    return metric


def _histogram(family: Family, counted: Counted) -> Metric:
    metric = HistogramMetricFamily(f"{PREFIX}_{family.name}", family.help, labels=family.labels)
    numbers = {series: number for (name, series), number in counted.items() if name == family.name}
    prefixes = {series.rpartition(" ")[0] for series in numbers} if family.labels else {""}
    for prefix in sorted(prefixes):
        counts = [numbers.get(f"{prefix} {bucket}".lstrip(), 0.0) for bucket in family.buckets]
        buckets = list(zip(family.buckets, itertools.accumulate(counts), strict=True))
        labels = prefix.split(" ") if family.labels else []
        metric.add_metric(labels, buckets, numbers.get(f"{prefix} {SUM}".lstrip(), 0.0))
    return metric
