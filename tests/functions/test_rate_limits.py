"""Tries are counted before they are compared, by all together; without Redis by each process."""

import threading
from collections.abc import Callable

import pytest
import redis
from pytest_django import Settings

from functions import rate_limits
from functions.rate_limits import LocalCounters, Rate
from tests.support.limits import limits  # noqa: F401 - a fixture

TEN = Rate("test-ten", tries=10, seconds=300)
EMPTY_REGION = "unix:///nowhere/redis.sock"


def at_once(number: int, act: Callable[[], bool]) -> int:
    """Return how many of these, begun together, came to true."""
    barrier, outcomes = threading.Barrier(number), []

    def try_it() -> None:
        barrier.wait()
        outcomes.append(act())

    threads = [threading.Thread(target=try_it) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(outcomes)


@pytest.mark.parametrize("url", ["", EMPTY_REGION], ids=["together", "without Redis"])
@pytest.mark.usefixtures("limits")
def test_of_sixty_at_once_exactly_ten_are_let_through(url: str, settings: Settings) -> None:
    settings.REDIS_URL = url or settings.REDIS_URL
    assert at_once(60, lambda: TEN.count("somebody")) == 10
    assert TEN.count("somebody else")


@pytest.mark.usefixtures("limits")
def test_limits_hold_while_redis_is_away_and_it_is_not_asked_each_time(settings: Settings) -> None:
    settings.REDIS_URL = EMPTY_REGION
    assert [TEN.count("somebody") for _ in range(12)] == [True] * 10 + [False] * 2
    assert rate_limits._cooldown.is_active()


@pytest.mark.usefixtures("limits")
def test_each_window_begins_at_zero_and_its_counter_ends_with_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [TEN.count("somebody") for _ in range(11)] == [True] * 10 + [False]
    assert 0 < rate_limits._redis(settings.REDIS_URL).ttl(TEN.key("somebody")) <= TEN.seconds
    monkeypatch.setattr(rate_limits, "clock", lambda: 1_000_300.0)
    assert [TEN.count("somebody") for _ in range(11)] == [True] * 10 + [False]


def test_counters_of_a_process_are_of_a_bounded_number_and_those_in_use_stay() -> None:
    counters = LocalCounters(3)
    for number in range(100):
        assert counters.add("in use", 300) == number + 1
        assert counters.add(f"used once, {number}", 300) == 1
    assert len(counters._counts) == 3


@pytest.mark.usefixtures("limits")
def test_many_who_are_the_first_to_count_share_one_client(settings: Settings) -> None:
    settings.REDIS_URL += "&first=1" if "?" in settings.REDIS_URL else "?first=1"
    clients: list[redis.Redis] = []
    assert at_once(40, lambda: not clients.append(rate_limits._redis(settings.REDIS_URL))) == 40  # type: ignore[func-returns-value]
    assert len({id(client) for client in clients}) == 1
