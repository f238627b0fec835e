"""Pages for who operates the site: figures, and the doorbell's queue with its workers."""

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from rq.registry import clean_registries
from rq.worker import SimpleWorker

from runner.pipelines import doorbell
from runner.pipelines.doorbell import notify_workers

pytestmark = pytest.mark.django_db

TOKEN = "a-token-of-this-test"
QUEUE_PAGES = (
    "/staff/",
    "/staff/django_rq/dashboard/",
    "/django-rq/",
    "/django-rq/stats.json",
    "/django-rq/queues/0/",
    "/django-rq/queues/0/details/",
    "/django-rq/queues/0/started/",
    "/django-rq/queues/0/failed/",
    "/django-rq/workers/0/",
)


@pytest.fixture
def staff(client: Client) -> Client:
    """A browser in which one of the staff is signed in."""
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.fixture
def other(client: Client) -> Client:
    """A browser in which somebody else is."""
    client.force_login(User.objects.create_user("otto"))
    return client


def silence() -> None:
    """Let no bell wait."""
    doorbell._queue().connection.delete(doorbell._queue().key)


@pytest.mark.parametrize("address", QUEUE_PAGES)
def test_staff_see_the_queue(staff: Client, address: str) -> None:
    silence()
    assert notify_workers()
    answer = staff.get(address)
    assert answer.status_code == 200


def policy_of(client: Client, address: str) -> str:
    return str(client.get(address).headers["Content-Security-Policy"])


def test_nothing_but_pages_of_django_rq_may_bring_styles_of_their_own(staff: Client) -> None:
    policy = policy_of(staff, "/django-rq/")
    assert policy.count("unsafe") == policy.count("style-src 'self' 'unsafe-inline'") == 1
    for address in ("/", "/staff/", "/staff/auth/user/", "/django-rqx/", "/runs/"):
        assert "unsafe" not in policy_of(staff, address)
    assert "unsafe" not in policy_of(Client(), "/django-rq/")


def test_staff_see_the_bells_and_what_one_says(staff: Client) -> None:
    silence()
    assert notify_workers()
    (job, *_) = doorbell._queue().jobs
    assert staff.get("/django-rq/stats.json").json()["queues"][0]["name"] == "runs"
    page = staff.get(f"/django-rq/queues/0/{job.id}/")
    assert "runner.jobs.drain" in page.content.decode()
    assert "Unpickling" not in page.content.decode()


def test_bell_of_a_worker_that_was_killed_long_ago_trips_nobody(staff: Client) -> None:
    silence()
    assert notify_workers()
    queue = doorbell._queue()
    killed = SimpleWorker([queue], connection=queue.connection, serializer=queue.serializer)
    job = queue.jobs[0]
    execution = killed.prepare_execution(job)
    queue.connection.delete(execution.key)  # by the time that it is due, it has expired
    queue.connection.zadd(job.started_job_registry.key, {execution.composite_key: 1})
    page = staff.get("/django-rq/queues/0/started/")
    assert page.status_code == 200
    assert job.id not in job.started_job_registry.get_job_ids()
    clean_registries(queue)


@pytest.mark.parametrize("address", QUEUE_PAGES)
def test_nobody_else_does(other: Client, address: str) -> None:
    assert other.get(address).status_code in {302, 401, 403}
    assert Client().get(address).status_code in {302, 401, 403}


@pytest.mark.parametrize("address", ["/staff/django_rq/dashboard/", "/django-rq/"])
def test_staff_are_told_so_when_redis_is_away(
    staff: Client, address: str, settings: LazySettings, tmp_path: Path
) -> None:
    away = f"unix://{tmp_path}/nowhere?db=0"
    settings.RQ_QUEUES = {"runs": {**settings.RQ_QUEUES["runs"], "URL": away}}
    staff.raise_request_exception = False
    answer = staff.get(address)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    assert "Back in a moment" in answer.content.decode()
    assert "Traceback" not in answer.content.decode()


def test_figures_are_for_staff_and_for_who_has_the_token(
    staff: Client, settings: LazySettings
) -> None:
    assert staff.get("/metrics").status_code == 200
    assert Client().get("/metrics").status_code == 403
    # An empty token is none.
    assert Client(headers={"Authorization": "Bearer "}).get("/metrics").status_code == 403
    settings.METRICS_TOKEN = TOKEN
    assert Client(headers={"Authorization": f"Bearer {TOKEN}x"}).get("/metrics").status_code == 403
    answer = Client(headers={"Authorization": f"Bearer {TOKEN}"}).get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert "# TYPE socialcode_claim_delay_seconds histogram" in answer.content.decode()


def test_figures_are_not_for_others_who_are_signed_in(other: Client) -> None:
    assert other.get("/metrics").status_code == 403
