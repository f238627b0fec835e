"""Limits switched on, at an instant that does not pass."""

import pytest
from pytest_django import Settings

from functions import rates


@pytest.fixture
def limits(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count from zero, in a window that does not end during the test."""
    settings.RATE_LIMITS = True
    monkeypatch.setattr(rates, "clock", lambda: 1_000_000.0)
    monkeypatch.setattr(rates, "_rest", rates._Rest())
    monkeypatch.setattr(rates, "_local", rates.LocalCounters(rates.MOST_LOCAL_COUNTERS))
    counters = rates._redis(settings.REDIS_URL)
    for key in counters.scan_iter("rate:*"):
        counters.delete(key)
