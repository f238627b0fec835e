"""Limits per client: open sockets, and frames per second."""

import time
from collections import Counter
from collections.abc import Hashable

from django.conf import settings

from runner.registry import Actor
from runner.sockets.frames import Code, ProtocolError
from runner.sockets.networks import network_of


class TokenBucket:
    """A rate limit with bursts of `at_once`."""

    def __init__(self, per_second: float, at_once: float) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._left = at_once
        self._at = time.monotonic()

    def take(self, amount: float = 1) -> None:
        """Take this amount; raises ProtocolError if less is left."""
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < amount:
            raise ProtocolError(Code.TOO_MANY_FRAMES, f"at most {self._per_second} frames a second")
        self._left -= amount


class ConnectionLimits:
    """Counts this process's open sockets per user, or per network for anonymous ones."""

    def __init__(self) -> None:
        self.taken: Counter[Hashable] = Counter()

    def take(self, actor: Actor, address: str, user_limit: int) -> Hashable:
        """Count a socket; return the argument for `leave`. Raises ProtocolError at the limit.

        `user_limit` is that of a signed-in actor. Signed-in users are not counted by address,
        because many may share a router.
        """
        if actor.pk is not None:
            owner, limit = ("user", actor.pk), user_limit
        else:
            owner, limit = ("network", network_of(address)), settings.SOCKETS_PER_ADDRESS
        if self.taken[owner] >= limit:
            raise ProtocolError(
                Code.TOO_MANY_CONNECTIONS, f"a {owner[0]} has at most {limit} sockets at once"
            )
        self.taken[owner] += 1
        return owner

    def leave(self, owner: Hashable) -> None:
        """Stop counting a socket."""
        self.taken[owner] -= 1
        if not self.taken[owner]:
            del self.taken[owner]

    def open_for(self, user_id: int) -> int:
        """Return the number of a user's sockets that are open in this process."""
        return self.taken["user", user_id]


connection_limits = ConnectionLimits()
