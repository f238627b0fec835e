"""Places for what runs at once: few of each owner, in turn, and quick ones before slow ones."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How much may run and wait at once, of all and of one owner, and wait for how long."""

    slots: int = 16
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
    stop: Callable[[], object] = field(default=lambda: None)
    is_slow: bool = False
    is_preempted: bool = False


class SlotQueue:
    """Gives places in turn; belongs to one event loop.

    Where others wait, what has turned out to be slow gives its place up: first that of the owner
    with the most of them. So what is quick never waits for long, whoever sends however much.
    """

    def __init__(self, limits: QueueLimits | None = None) -> None:
        self._limits = limits or QueueLimits()
        self._taken: list[Slot] = []
        # The owner whose turn it is comes first.
        self._waiting: OrderedDict[str, deque[asyncio.Future[Slot]]] = OrderedDict()

    async def acquire(self, owner: str) -> Slot:
        """Wait for a place, to be left afterwards; raises Full where none is to be had in time."""
        own = self._waiting.get(owner, ())
        if len(own) >= self._limits.waiting_per_owner:
            raise QueueFull(own=True)
        if sum(map(len, self._waiting.values())) >= self._limits.waiting:
            raise QueueFull(own=False)
        future: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(future)
        self._grant()
        try:
            async with asyncio.timeout(self._limits.wait_seconds):
                return await future
        except BaseException as error:
            self._withdraw(owner, future)
            if isinstance(error, TimeoutError):
                raise QueueFull(own=self._count()[owner] >= self._limits.per_owner) from None
            raise

    def release(self, slot: Slot) -> None:
        """Give a place back."""
        self._taken.remove(slot)
        self._grant()

    def mark_slow(self, slot: Slot) -> None:
        """Note that what runs there is in no hurry any more."""
        slot.is_slow = True
        self._preempt()

    def _count(self) -> Counter[str]:
        return Counter(slot.owner for slot in self._taken)

    def _next_owner(self) -> str | None:
        """Return whose turn it is of those who have not as many places as one may have."""
        taken = self._count()
        having = (owner for owner in self._waiting if taken[owner] < self._limits.per_owner)
        return next(having, None)

    def _grant(self) -> None:
        while len(self._taken) < self._limits.slots and (owner := self._next_owner()) is not None:
            future = self._waiting[owner].popleft()
            self._waiting.move_to_end(owner)
            if not self._waiting[owner]:
                del self._waiting[owner]
            slot = Slot(owner)
            self._taken.append(slot)
            future.set_result(slot)
        self._preempt()

    def _preempt(self) -> None:
        """Have as many slow ones end as there are others whose turn it would be."""
        wanted = len(self._waiting) if self._next_owner() is not None else 0
        wanted -= sum(slot.is_preempted for slot in self._taken)
        taken = self._count()
        slow = [slot for slot in self._taken if slot.is_slow and not slot.is_preempted]
        slow.sort(key=lambda slot: -taken[slot.owner])
        for slot in slow[: max(0, wanted)]:
            slot.is_preempted = True
            slot.stop()

    def _withdraw(self, owner: str, future: asyncio.Future[Slot]) -> None:
        """Take back what was asked for, and what may have been given in the same instant."""
        if future.done() and not future.cancelled():
            self.release(future.result())
        elif owner in self._waiting and future in self._waiting[owner]:
            self._waiting[owner].remove(future)
            if not self._waiting[owner]:
                del self._waiting[owner]
