"""Readiness of this machine: the checks of /readyz, each answered within seconds.

Details are fixed sentences, because strangers may read them; errors are in the log.
"""

import concurrent.futures
import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from django.db import connection

from runner.analysis.client import is_analysis_available
from runner.operations.liveness import KEY as WORKERS_ALIVE
from runner.operations.schema import pending_migrations
from runner.pipelines.doorbell import open_redis

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 3.0
# How long an answer is used again, so that strangers can't keep the database busy with probes.
CACHE_SECONDS = 1.0


@dataclass(frozen=True)
class CheckResult:
    """What a check has found: None if all is well, else a sentence."""

    failure: str | None
    milliseconds: float


Check = Callable[[], str | None]


def _database() -> str | None:
    with connection.cursor() as cursor:
        cursor.execute("select pg_is_in_recovery()")
        is_standby = cursor.fetchone()[0]
    return "PostgreSQL is a standby, which takes no writes." if is_standby else None


def _migrations() -> str | None:
    return "Migrations are pending: run `manage.py migrate`." if pending_migrations() else None


def _queue() -> str | None:
    open_redis().ping()
    return None


def _analysis() -> str | None:
    if is_analysis_available():
        return None
    return "Nobody checks source on this machine: start `manage.py callers`."


def _sandbox() -> str | None:
    if open_redis().exists(WORKERS_ALIVE):
        return None
    return "No worker can run programs: start `manage.py worker`, or read the workers' logs."


CHECKS: Mapping[str, Check] = {
    "database": _database,
    "migrations": _migrations,
    "queue": _queue,
    "sandbox": _sandbox,
    "analysis": _analysis,
}


class Readiness:
    """Runs all checks at once, each in a thread of its own.

    A check that hangs keeps its thread, and fails until it ends: no second one is started.
    """

    def __init__(self, checks: Mapping[str, Check] = CHECKS) -> None:
        self._checks = checks
        self._running: dict[str, Future[CheckResult]] = {}
        self._lock = threading.Lock()
        self._results: Mapping[str, CheckResult] = {}
        self._checked_at = -CACHE_SECONDS

    def check(self) -> Mapping[str, CheckResult]:
        """Return the results by name, in at most TIMEOUT_SECONDS."""
        with self._lock:
            if time.monotonic() - self._checked_at >= CACHE_SECONDS:
                self._results = self._check()
                self._checked_at = time.monotonic()
            return self._results

    def _check(self) -> Mapping[str, CheckResult]:
        for name, check in self._checks.items():
            if name not in self._running:
                self._running[name] = _start(name, check)
        concurrent.futures.wait(self._running.values(), TIMEOUT_SECONDS)
        ended = {name: future.result() for name, future in self._running.items() if future.done()}
        for name in ended:
            del self._running[name]
        late = CheckResult(f"No answer in {TIMEOUT_SECONDS:.0f} s.", 1000 * TIMEOUT_SECONDS)
        return {name: ended.get(name, late) for name in self._checks}


def _start(name: str, check: Check) -> Future[CheckResult]:
    """Run the check in a thread that the end of the process doesn't wait for."""
    future: Future[CheckResult] = Future()
    run = threading.Thread(
        target=lambda: future.set_result(_run(name, check)), name=f"check-{name}", daemon=True
    )
    run.start()
    return future


def _run(name: str, check: Check) -> CheckResult:
    started_at = time.monotonic()
    try:
        failure = check()
    except Exception as error:  # noqa: BLE001 - any error is an answer
        log.warning("the check of %s failed: %r", name, error)
        failure = "No answer; the log of this process says why."
    finally:
        connection.close()
    return CheckResult(failure, round(1000 * (time.monotonic() - started_at), 1))


def failing(results: Mapping[str, CheckResult], *, excluded: Collection[str]) -> list[str]:
    """Return the names of the checks that failed and count."""
    return [name for name, one in results.items() if one.failure and name not in excluded]
