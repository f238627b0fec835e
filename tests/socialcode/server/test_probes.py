"""Probes: answered by any name or address, without a session or TLS, and within seconds."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings

from runner.operations import readiness
from runner.operations.liveness import KEY
from runner.operations.readiness import CHECKS, Readiness
from runner.pipelines.doorbell import open_redis
from socialcode.server import probes
from tests.socialcode.server.test_access_log import ask

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def checks_anew() -> Iterator[None]:
    """Leave nothing cached, and a worker alive."""
    probes._readiness = probes._SharedReadiness()
    open_redis().set(KEY, 1, ex=60)
    yield
    open_redis().delete(KEY)


async def probe(path: str) -> tuple[int, dict[str, Any]]:
    address, _, query = path.partition("?")
    start, body = await ask(address, query=query.encode(), host=b"192.0.2.9")
    return start["status"], json.loads(body)


async def test_a_site_that_works_is_alive_and_ready_by_address_and_without_tls(
    settings: LazySettings,
) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["social.example"], True
    assert await probe("/healthz") == (200, {"status": "alive"})
    status, said = await probe("/readyz")
    assert (status, said["status"]) == (200, "ready"), said
    assert {name for name, one in said["checks"].items() if one["ok"]} == set(CHECKS)


def _no_worker(_monkeypatch: pytest.MonkeyPatch) -> None:
    open_redis().delete(KEY)


def _pending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "pending_migrations", lambda: ["functions"])


def _no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise ConnectionError("redis://user:password@host")

    monkeypatch.setattr(readiness, "open_redis", refuse)


def _no_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "is_analysis_available", lambda: False)


@pytest.mark.parametrize(
    ("cause", "failed", "said"),
    [
        (_no_worker, {"sandbox"}, "No worker can run programs"),
        (_pending, {"migrations"}, "manage.py migrate"),
        (_no_redis, {"queue", "sandbox"}, "No answer"),
        (_no_callers, {"analysis"}, "manage.py callers"),
    ],
)
async def test_what_is_missing_is_said_unless_it_is_excluded(
    cause: Any, failed: set[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cause(monkeypatch)
    status, answer = await probe("/readyz")
    checks = answer["checks"]
    assert status == 503
    assert {name for name, one in checks.items() if not one["ok"]} == failed
    assert all(said in checks[name]["detail"] for name in failed)
    assert "password" not in json.dumps(answer)
    assert (await probe("/readyz?" + "&".join(f"exclude={name}" for name in failed)))[0] == 200
    assert (await probe("/readyz?exclude=everything"))[0] == 400


def test_a_check_that_hangs_fails_in_time_and_is_not_started_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(readiness, "TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr(readiness, "CACHE_SECONDS", 0.0)
    may_end, starts = threading.Event(), []

    def hang() -> None:
        starts.append(1)
        may_end.wait()

    hanging = Readiness({"database": hang, "queue": lambda: None})
    began = time.monotonic()
    for _ in range(2):
        results = hanging.check()
        assert "No answer in" in str(results["database"].failure)
        assert results["queue"].failure is None
    assert time.monotonic() - began < 2
    assert len(starts) == 1
    may_end.set()
    while hanging.check()["database"].failure:
        time.sleep(0.01)


async def test_many_probes_at_once_are_one_check(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(readiness, "pending_migrations", lambda: asked.append(1))
    answers = await asyncio.gather(*(probe("/readyz") for _ in range(20)))
    assert {status for status, _ in answers} == {200}
    assert len(asked) == 1
