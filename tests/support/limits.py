"""Limits switched on, at an instant that does not pass."""

import pytest
from pytest_django import Settings

from functions import rate_limits


@pytest.fixture
def limits(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count from zero, in a window that does not end during the test."""
    settings.RATE_LIMITS = True
    monkeypatch.setattr(rate_limits, "clock", lambda: 1_000_000.0)
    monkeypatch.setattr(rate_limits, "_cooldown", rate_limits._Cooldown())
    monkeypatch.setattr(
        rate_limits, "_local", rate_limits.LocalCounters(rate_limits.MAX_LOCAL_COUNTERS)
    )
    counters = rate_limits._redis(settings.REDIS_URL)
    for key in counters.scan_iter("rate:*"):
        counters.delete(key)
