"""The doorbell's other end: RQ workers that, when rung, have everything executed that is ready."""

import logging
import os
import random
import signal
import socket
import threading
import time
import uuid
from typing import Any

import django_rq
import redis
from django.db import connection
from redis.client import Pipeline
from rq import Queue
from rq.executions import Execution
from rq.job import Job
from rq.timeouts import TimerDeathPenalty
from rq.worker import SimpleWorker, WorkerStatus

from runner.operations.liveness import LivenessHeartbeat
from runner.operations.sweeper import is_work_ready, sweep
from runner.pipelines.outbox import QUEUE, notify_workers
from runner.sandbox import Pool
from runner.workers.drainer import Drainer

log = logging.getLogger(__name__)

SWEEP_SECONDS = 5.0
# How late an idle worker finds what nobody rings for: what is due by now, or whose one bell was
# heard by a worker that stands still, or was killed, before it could claim.
POLL_SECONDS = 1.0
RECONNECT_SECONDS = 1.0
# RQ listens for this less 15 s at a time, and for no longer does a lost connection go unnoticed.
WORKER_TTL_SECONDS = 20
DEREGISTER_SECONDS = 2.0
# Whoever waits for a database that says nothing at all is not waited for, beyond this.
STOP_SECONDS = 9.0

_drainer: Drainer | None = None


def drain() -> None:
    """Execute until nothing is ready: the job that the bell enqueues."""
    if _drainer is None:
        log.error("a bell was heard by a process that is no worker of ours: use `manage.py worker`")
        return
    _drainer.drain()


class _DoorbellJob(Job):
    """A job of which its listener has seen to it that it stays in Redis until it has ended."""

    def perform(self) -> Any:
        """Call what the job names."""
        return self._execute()


class _DoorbellWorker(SimpleWorker):
    """An RQ worker without forks, on one queue (of which RQ loses no job when we are killed).

    Somebody waits for what the bell was rung for: what RQ notes in Redis before a job begins goes
    there in one round trip, in place of four.
    """

    job_class = _DoorbellJob
    death_penalty_class = TimerDeathPenalty  # jobs have no time limit, and signals are ours
    log_result_lifespan = False
    log_job_description = False
    max_connection_wait_time = SWEEP_SECONDS

    _received: Job | None = None

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Have RQ call `drain`."""
        self._received = job
        try:
            super().execute_job(job, queue)
        finally:
            self._received = None

    def prepare_execution(self, job: Job) -> None:  # type: ignore[override]
        """Leave it to `prepare_job_execution`, which is what RQ calls next."""

    def prepare_job_execution(self, job: Job, remove_from_intermediate_queue: bool = False) -> None:
        """Be known as busy with this job, which has left the queue and is kept until it ends."""
        ttl_seconds = self.get_heartbeat_ttl(job)
        with self.connection.pipeline() as pipeline:
            self.execution = Execution.create(job, ttl_seconds, pipeline, self.name)
            self.set_state(WorkerStatus.BUSY, pipeline)
            self.set_current_job_id(job.id, pipeline)
            self.set_current_job_working_time(0, pipeline)
            self.heartbeat(ttl_seconds, pipeline)
            job.prepare_for_execution(self.name, pipeline)
            pipeline.persist(job.key)
            if remove_from_intermediate_queue:
                pipeline.lrem(self.queues[0].intermediate_queue_key, 1, job.id)
            pipeline.execute()

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Stay known for so long."""
        if pipeline is not None:
            super().heartbeat(timeout, pipeline)
            return
        with self.connection.pipeline(transaction=False) as round_trip:
            super().heartbeat(timeout, round_trip)
            round_trip.execute()

    def renew_registration(self) -> None:
        """Tell RQ, from another thread, that long work goes on: it forgets us after 7 minutes."""
        job = self._received
        if job is None or self.execution is None:
            return
        try:
            self.maintain_heartbeats(job)
        except (redis.RedisError, AttributeError) as error:  # the work may end meanwhile
            log.debug("could not tell that work goes on: %s", error)

    def subscribe(self) -> None:
        """Take no commands over Redis."""

    def _install_signal_handlers(self) -> None:
        """Leave signals to `serve`."""

    def interrupt(self) -> None:
        """Stop listening, from a signal's handler: at once when idle, else after the job."""
        self._stop_requested = True
        if self.get_state() != WorkerStatus.BUSY:
            raise SystemExit

    def teardown(self) -> None:
        """Sign off, but don't wait for a Redis that doesn't answer."""
        deregistration = threading.Thread(target=self._deregister, daemon=True)
        deregistration.start()
        deregistration.join(DEREGISTER_SECONDS)

    def _deregister(self) -> None:
        try:
            super().teardown()  # type: ignore[no-untyped-call]
        except redis.RedisError as error:
            log.debug("could not sign off: %s", error)


class WorkerProcess:
    """A worker process: listens for the bell, sweeps, and executes also when Redis is away."""

    def __init__(self, pool: Pool) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self._drainer = Drainer(pool, self.name)
        self._stopping = threading.Event()
        self._listener: _DoorbellWorker | None = None
        self._redis_is_away = False

    def serve(self) -> None:
        """Work until SIGTERM or SIGINT, then hand back what has not begun, within ten seconds."""
        global _drainer  # noqa: PLW0603 - RQ's jobs are functions, this is what they work with
        _drainer = self._drainer
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        sweeper = threading.Thread(target=self._sweep, name="sweeper", daemon=True)
        sweeper.start()
        heartbeat = LivenessHeartbeat(lambda: self._drainer.is_healthy)
        log.info("worker %s is ready", self.name)
        try:
            while not self._stopping.is_set():
                self._listen()
        except SystemExit:
            log.debug("interrupted while listening")
        finally:
            self._stopping.set()
            heartbeat.stop()
            self._drainer.close()
            connection.close()
        log.info("worker %s has stopped", self.name)

    def _listen(self) -> None:
        """Have RQ call us when the bell rings; returns when Redis is away, and on request."""
        logging.getLogger("rq.worker").setLevel(logging.WARNING)
        try:
            queue = django_rq.get_queue(QUEUE)
            self._listener = _DoorbellWorker(
                [queue],
                name=uuid.uuid4().hex,
                connection=queue.connection,
                worker_ttl=WORKER_TTL_SECONDS,
                serializer=queue.serializer,
            )
            self._redis_is_away = False
            self._listener.work(logging_level="WARNING")
        except redis.RedisError as error:
            if not self._redis_is_away:
                log.warning("Redis is away, sweeping goes on: %s", error)
            self._redis_is_away = True
        finally:
            self._listener = None
        self._stopping.wait(RECONNECT_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311

    def _on_signal(self, _number: int, _frame: Any) -> None:
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._drainer.stop()
        last_resort = threading.Timer(STOP_SECONDS, _exit_now)
        last_resort.daemon = True
        last_resort.start()
        if self._listener is None:
            raise SystemExit
        self._listener.interrupt()

    def _sweep(self) -> None:
        """Look after what was left; where the bell cannot be rung, execute here."""
        sweep_at = time.monotonic() + _jittered(SWEEP_SECONDS)
        while not self._stopping.wait(_jittered(POLL_SECONDS)):
            try:
                if time.monotonic() >= sweep_at:
                    sweep_at = time.monotonic() + _jittered(SWEEP_SECONDS)
                    if (listener := self._listener) is not None:
                        listener.renew_registration()
                    swept = sweep()
                    has_to_drain = swept.is_work_ready and not swept.notified
                else:
                    has_to_drain = (
                        self._drainer.is_idle and is_work_ready() and not notify_workers()
                    )
                if has_to_drain:
                    self._drainer.drain(wait=False)
            except Exception as error:  # noqa: BLE001 - whatever it is, the next look comes
                log.warning("sweeping failed: %s", error)
            finally:
                connection.close()


def _exit_now() -> None:
    """End at once: leases give back what is still held."""
    log.warning("something does not end, so it is left where it is")
    os._exit(0)


def _jittered(seconds: float) -> float:
    """Return about so many, each time others: workers that began together part."""
    return seconds * random.uniform(0.8, 1.2)  # noqa: S311
