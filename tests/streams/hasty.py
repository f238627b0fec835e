"""Serves the site as `python -m socialcode.web` does, but in a hurry about who is there.

    python -m tests.streams.hasty --port 8000

Leases, silence and pings last a fraction of what they do in earnest, for tests to wait less.
"""

import socialcode.asgi  # noqa: F401 - loads the apps: what comes next needs their models
from runner import presence, shares
from socialcode import web

TICK_SECONDS = 0.1
LINGER_SECONDS = 0.3
NAMES_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 0.2
# More than a busy machine holds up a process that is there.
LEASE_SECONDS = 3.0
PING_SECONDS = 1.0


def hurry() -> None:
    """Change what this process takes its time about."""
    presence.TICK_SECONDS = TICK_SECONDS
    presence.LINGER_SECONDS = LINGER_SECONDS
    presence.NAMES_SECONDS = NAMES_SECONDS
    presence.LONGEST_PAUSE_SECONDS = LONGEST_PAUSE_SECONDS
    shares.LEASE_SECONDS = LEASE_SECONDS
    web.PING_INTERVAL_SECONDS = PING_SECONDS
    web.PING_TIMEOUT_SECONDS = PING_SECONDS


if __name__ == "__main__":
    hurry()
    web.main()
