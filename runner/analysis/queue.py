"""Places for what runs at once: few of each owner, in turn, and quick ones before slow ones."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How much may run and wait at once, of all and of one owner, and wait for how long."""

    places: int = 16
    per_owner: int = 4
    waiting: int = 64
    waiting_per_owner: int = 12
    wait_seconds: float = 5.0


class QueueFull(Exception):
    """There is no room; `own` says that the same owner's others take it."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("no room")
        self.own = own


@dataclass(eq=False, slots=True)
class Slot:
    """What somebody has while theirs runs; `end` ends that, for another to have the place."""

    owner: str
    end: Callable[[], object] = field(default=lambda: None)
    is_slow: bool = False
    is_displaced: bool = False


class SlotQueue:
    """Gives places in turn; belongs to one event loop.

    Where others wait, what has turned out to be slow gives its place up: first that of the owner
    with the most of them. So what is quick never waits for long, whoever sends however much.
    """

    def __init__(self, room: QueueLimits | None = None) -> None:
        self._room = room or QueueLimits()
        self._taken: list[Slot] = []
        # The owner whose turn it is comes first.
        self._waiting: OrderedDict[str, deque[asyncio.Future[Slot]]] = OrderedDict()

    async def take(self, owner: str) -> Slot:
        """Wait for a place, to be left afterwards; raises Full where none is to be had in time."""
        own = self._waiting.get(owner, ())
        if len(own) >= self._room.waiting_per_owner:
            raise QueueFull(own=True)
        if sum(map(len, self._waiting.values())) >= self._room.waiting:
            raise QueueFull(own=False)
        asked: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(asked)
        self._give()
        try:
            async with asyncio.timeout(self._room.wait_seconds):
                return await asked
        except BaseException as error:
            self._forget(owner, asked)
            if isinstance(error, TimeoutError):
                raise QueueFull(own=self._count()[owner] >= self._room.per_owner) from None
            raise

    def leave(self, place: Slot) -> None:
        """Give a place back."""
        self._taken.remove(place)
        self._give()

    def note_slow(self, place: Slot) -> None:
        """Note that what runs there is in no hurry any more."""
        place.is_slow = True
        self._displace()

    def _count(self) -> Counter[str]:
        return Counter(place.owner for place in self._taken)

    def _next(self) -> str | None:
        """Return whose turn it is of those who have not as many places as one may have."""
        taken = self._count()
        having = (owner for owner in self._waiting if taken[owner] < self._room.per_owner)
        return next(having, None)

    def _give(self) -> None:
        while len(self._taken) < self._room.places and (owner := self._next()) is not None:
            asked = self._waiting[owner].popleft()
            self._waiting.move_to_end(owner)
            if not self._waiting[owner]:
                del self._waiting[owner]
            place = Slot(owner)
            self._taken.append(place)
            asked.set_result(place)
        self._displace()

    def _displace(self) -> None:
        """Have as many slow ones end as there are others whose turn it would be."""
        wanted = len(self._waiting) if self._next() is not None else 0
        wanted -= sum(place.is_displaced for place in self._taken)
        taken = self._count()
        slow = [place for place in self._taken if place.is_slow and not place.is_displaced]
        slow.sort(key=lambda place: -taken[place.owner])
        for place in slow[: max(0, wanted)]:
            place.is_displaced = True
            place.end()

    def _forget(self, owner: str, asked: asyncio.Future[Slot]) -> None:
        """Take back what was asked for, and what may have been given in the same instant."""
        if asked.done() and not asked.cancelled():
            self.leave(asked.result())
        elif owner in self._waiting and asked in self._waiting[owner]:
            self._waiting[owner].remove(asked)
            if not self._waiting[owner]:
                del self._waiting[owner]
