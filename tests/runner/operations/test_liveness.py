"""Whether any worker can run programs, as pages know it: soon, cheaply, and never by a guess."""

import urllib.request

import pytest
import redis
from django.test import Client

from runner.operations import liveness
from runner.operations.liveness import KEY, is_any_worker_alive
from runner.pipelines.doorbell import open_redis
from tests.patience import await_that
from tests.support.site import Site

BANNER = "No programs are running at the moment."


def says_so(site: Site) -> bool:
    with urllib.request.urlopen(f"{site.url}/wanted/", timeout=10) as answer:
        return BANNER in answer.read().decode()


def die_again_and_again(site: Site) -> None:
    """Have workers start, one after the other, that are killed before they can run anything."""
    for _ in range(3):
        worker = site.start_worker()
        worker.kill()
        worker.wait()
        site.workers.remove(worker)


def test_pages_say_that_nothing_is_run_while_workers_die_and_no_longer(live_site: Site) -> None:
    await_that(lambda: not says_so(live_site), what="a worker is alive")
    live_site.kill_workers()
    die_again_and_again(live_site)
    await_that(lambda: says_so(live_site), what="pages say that nothing is run")
    live_site.complete(workers=1)
    await_that(lambda: not says_so(live_site), what="pages say so no longer")


@pytest.mark.django_db
@pytest.mark.parametrize("is_alive", [True, False])
def test_a_page_says_what_is_known_and_asks_once_in_a_while(
    is_alive: bool, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = open_redis()
    real.delete(KEY)
    if is_alive:
        real.set(KEY, 1, ex=60)
    asked = []

    class Counting:
        def exists(self, key: str) -> object:
            asked.append(key)
            return real.exists(key)

    monkeypatch.setattr(liveness, "open_redis", Counting)
    is_any_worker_alive.reset()
    for _ in range(10):
        assert (BANNER in client.get("/wanted/").content.decode()) is not is_alive
    assert len(asked) <= 2
    real.delete(KEY)
    is_any_worker_alive.reset()


@pytest.mark.django_db
def test_while_redis_is_away_nothing_is_said(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = redis.Redis(host="127.0.0.1", port=1, socket_connect_timeout=0.5)
    monkeypatch.setattr(liveness, "open_redis", lambda: nowhere)
    is_any_worker_alive.reset()
    assert BANNER not in client.get("/wanted/").content.decode()
    is_any_worker_alive.reset()
