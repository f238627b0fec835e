"""The worker process: an RQ worker that runs all ready programs when a doorbell job arrives."""

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
from runner.operations.service_manager import notify_ready
from runner.operations.sweeper import is_work_ready, sweep
from runner.pipelines.doorbell import QUEUE, notify_workers
from runner.registry import WorkerService, handlers
from runner.sandbox import Pool
from runner.workers.drainer import Drainer

log = logging.getLogger(__name__)

SWEEP_SECONDS = 5.0
# How often an idle worker polls for work without a doorbell job: retries that have become due, or
# work whose doorbell job went to a worker that hangs or was killed.
POLL_SECONDS = 1.0
RECONNECT_SECONDS = 1.0
# RQ blocks for 15 s less than this, and only then notices a lost connection.
WORKER_TTL_SECONDS = 20
DEREGISTER_SECONDS = 2.0
# The process exits after this, even if a database connection still hangs.
STOP_SECONDS = 9.0

_drainer: Drainer | None = None


def drain() -> None:
    """Run programs until none is ready; called by doorbell jobs."""
    if _drainer is None:
        log.error("doorbell job received outside of `manage.py worker`; ignored")
        return
    _drainer.drain()


class _DoorbellJob(Job):
    """An RQ job without the bookkeeping that `_DoorbellWorker` has already done."""

    def perform(self) -> Any:
        return self._execute()


class _DoorbellWorker(SimpleWorker):
    """An RQ worker that doesn't fork, for one queue.

    It sends RQ's bookkeeping before a job in one round trip instead of four, because a user may be
    waiting. (With one queue only, RQ loses no job if the worker is killed.)
    """

    job_class = _DoorbellJob
    death_penalty_class = TimerDeathPenalty  # doesn't use signals; jobs have no time limit
    log_result_lifespan = False
    log_job_description = False
    max_connection_wait_time = SWEEP_SECONDS

    _received: Job | None = None

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run the job."""
        self._received = job
        try:
            super().execute_job(job, queue)
        finally:
            self._received = None

    def prepare_execution(self, job: Job) -> None:  # type: ignore[override]
        """Do nothing; RQ calls `prepare_job_execution` next, which does all."""

    def prepare_job_execution(self, job: Job, remove_from_intermediate_queue: bool = False) -> None:
        """Register this worker as busy with the job, and keep the job until it ends."""
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
        """Extend this worker's registration by `timeout` seconds."""
        if pipeline is not None:
            super().heartbeat(timeout, pipeline)
            return
        with self.connection.pipeline(transaction=False) as round_trip:
            super().heartbeat(timeout, round_trip)
            round_trip.execute()

    def renew_registration(self) -> None:
        """Extend the registration during a long job, or RQ would drop it after 7 minutes."""
        job = self._received
        if job is None or self.execution is None:
            return
        try:
            self.maintain_heartbeats(job)
        except (redis.RedisError, AttributeError) as error:  # the job may end meanwhile
            log.debug("could not renew the registration: %s", error)

    def subscribe(self) -> None:
        """Accept no commands over Redis."""

    def _install_signal_handlers(self) -> None:
        """Leave signals to `WorkerProcess`."""

    def interrupt(self) -> None:
        """Stop listening: at once if idle, else after the job. Called by a signal handler."""
        self._stop_requested = True
        if self.get_state() != WorkerStatus.BUSY:
            raise SystemExit

    def teardown(self) -> None:
        """Deregister, without waiting long if Redis doesn't respond."""
        deregistration = threading.Thread(target=self._deregister, daemon=True)
        deregistration.start()
        deregistration.join(DEREGISTER_SECONDS)

    def _deregister(self) -> None:
        try:
            super().teardown()  # type: ignore[no-untyped-call]
        except redis.RedisError as error:
            log.debug("could not deregister: %s", error)


class WorkerProcess:
    """A worker process: waits for doorbell jobs and sweeps; without Redis, it polls."""

    def __init__(self, pool: Pool) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self._drainer = Drainer(pool, self.name)
        self._stopping = threading.Event()
        self._services: list[WorkerService] = []
        self._listener: _DoorbellWorker | None = None
        self._redis_is_away = False

    def serve(self) -> None:
        """Run until SIGTERM or SIGINT; then release unfinished work and return within 10 s."""
        global _drainer  # noqa: PLW0603 - RQ calls `drain` without arguments
        _drainer = self._drainer
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        sweeper = threading.Thread(target=self._sweep, name="sweeper", daemon=True)
        sweeper.start()
        self._services = [start() for start in handlers.worker_services]
        heartbeat = LivenessHeartbeat(lambda: self._drainer.is_healthy)
        log.info("worker %s is ready", self.name)
        notify_ready()
        try:
            while not self._stopping.is_set():
                self._listen()
        except SystemExit:
            log.debug("interrupted while listening")
        finally:
            self._stopping.set()
            heartbeat.stop()
            self._stop_services()
            self._drainer.close()
            for service in self._services:
                service.close()
            connection.close()
        log.info("worker %s has stopped", self.name)

    def _listen(self) -> None:
        """Wait for doorbell jobs with RQ; returns when Redis is down or the worker is stopping."""
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
                log.warning("Redis is away; the worker polls instead: %s", error)
            self._redis_is_away = True
        finally:
            self._listener = None
        self._stopping.wait(RECONNECT_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311

    def _on_signal(self, _number: int, _frame: Any) -> None:
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._drainer.stop()
        self._stop_services()
        last_resort = threading.Timer(STOP_SECONDS, _exit_now)
        last_resort.daemon = True
        last_resort.start()
        if self._listener is None:
            raise SystemExit
        self._listener.interrupt()

    def _stop_services(self) -> None:
        for service in self._services:
            service.stop()

    def _sweep(self) -> None:
        """Sweep regularly; run programs in this thread if no doorbell job can be enqueued."""
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
            except Exception as error:  # noqa: BLE001 - it is tried again
                log.warning("sweeping failed: %s", error)
            finally:
                connection.close()


def _exit_now() -> None:
    """Exit at once; leases that are still held expire."""
    log.warning("a thread does not stop; exiting anyway")
    os._exit(0)


def _jittered(seconds: float) -> float:
    """Return a random time close to this, so that workers started together drift apart."""
    return seconds * random.uniform(0.8, 1.2)  # noqa: S311
