"""Limits how many requests a process handles at once; the others wait, or are refused."""

import asyncio
from collections import OrderedDict, deque

# Threads that compute at once share one interpreter: more of them only slow each other down, and
# each needs memory and a database connection. Many only wait, for a call or to check a password.
MOST_HANDLED = 40
MOST_WAITING = 1000
LONGEST_WAIT_SECONDS = 10.0
# Handling a form takes ten times its size, so that large requests count as many.
BYTES_OF_ONE = 128 * 1024


def weight_of(body_bytes: int) -> int:
    """Return how many ordinary requests a request with a body of this size counts as."""
    return min(1 + body_bytes // BYTES_OF_ONE, MOST_HANDLED)


class _Place(asyncio.Future[None]):
    """A place in line; done when the request may be handled."""

    weight = 1


class ConcurrencyLimit:
    """Lets in so many requests at once; client networks take turns, each first come, first served.

    Belongs to one event loop.
    """

    def __init__(self, handled: int = MOST_HANDLED, waiting: int = MOST_WAITING) -> None:
        self._free = handled
        self._most_waiting = waiting
        self._waiting = 0
        self._lines: OrderedDict[str, deque[_Place]] = OrderedDict()  # the next network first

    async def enter(self, network: str, weight: int = 1) -> bool:
        """Wait to be let in, until `leave`; False if too many wait, or this one for too long."""
        if not self._lines and weight <= self._free:
            self._free -= weight
            return True
        if self._waiting >= self._most_waiting:
            return False
        place = _Place()
        place.weight = weight
        self._lines.setdefault(network, deque()).append(place)
        self._waiting += 1
        try:
            async with asyncio.timeout(LONGEST_WAIT_SECONDS):
                await place
        except TimeoutError:
            return self._give_up(network, place)
        except asyncio.CancelledError:
            if self._give_up(network, place):
                self.leave(weight)
            raise
        return True

    def leave(self, weight: int = 1) -> None:
        """Let in requests that wait, after one of this weight has been handled."""
        self._free += weight
        while self._lines:
            network, line = next(iter(self._lines.items()))
            if line[0].weight > self._free:
                return
            place = line.popleft()
            self._lines.move_to_end(network)
            if not line:
                del self._lines[network]
            self._waiting -= 1
            if not place.done():
                self._free -= place.weight
                place.set_result(None)

    def _give_up(self, network: str, place: _Place) -> bool:
        """Leave the line; return whether the request has been let in meanwhile."""
        if place.done() and not place.cancelled():
            return True
        line = self._lines.get(network, deque())
        if place in line:
            self._waiting -= 1
            line.remove(place)
            if not line:
                del self._lines[network]
            self.leave(0)  # the next one may be smaller
        return False
