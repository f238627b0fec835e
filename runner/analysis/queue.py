"""A fair queue for slots: round robin among owners, limited per owner, quick work before slow."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """Limits of running and waiting work, in total and per owner, and of the wait."""

    slots: int = 16
    per_owner: int = 4
    waiting: int = 64
    waiting_per_owner: int = 12
    wait_seconds: float = 5.0


class QueueFull(Exception):
    """The queue is full; `own`: because of the same owner's requests."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("the queue is full")
        self.own = own


@dataclass(eq=False, slots=True)
class Slot:
    """A slot in use; `stop` ends its work to free it for another request."""

    owner: str
    stop: Callable[[], object] = field(default=lambda: None)
    is_slow: bool = False
    is_preempted: bool = False


class SlotQueue:
    """Gives slots to owners in turn. Belongs to one event loop.

    Slow work is stopped while others wait, first that of the owner with most slots. So quick work
    never waits for long, whatever others send.
    """

    def __init__(self, limits: QueueLimits | None = None) -> None:
        self._limits = limits or QueueLimits()
        self._taken: list[Slot] = []
        # The next owner comes first.
        self._waiting: OrderedDict[str, deque[asyncio.Future[Slot]]] = OrderedDict()

    async def acquire(self, owner: str) -> Slot:
        """Wait for a slot, which the caller must release; raises QueueFull, also on timeout."""
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
        """Return a slot."""
        self._taken.remove(slot)
        self._grant()

    def mark_slow(self, slot: Slot) -> None:
        """Mark the slot's work as slow: it may be stopped for others."""
        slot.is_slow = True
        self._preempt()

    def _count(self) -> Counter[str]:
        return Counter(slot.owner for slot in self._taken)

    def _next_owner(self) -> str | None:
        """Return the next waiting owner who is below the limit per owner."""
        taken = self._count()
        eligible = (owner for owner in self._waiting if taken[owner] < self._limits.per_owner)
        return next(eligible, None)

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
        """Stop as many slow slots as there are owners who could run instead."""
        needed = len(self._waiting) if self._next_owner() is not None else 0
        needed -= sum(slot.is_preempted for slot in self._taken)
        taken = self._count()
        slow = [slot for slot in self._taken if slot.is_slow and not slot.is_preempted]
        slow.sort(key=lambda slot: -taken[slot.owner])
        for slot in slow[: max(0, needed)]:
            slot.is_preempted = True
            slot.stop()

    def _withdraw(self, owner: str, future: asyncio.Future[Slot]) -> None:
        """Remove a request; release its slot if it has just been granted."""
        if future.done() and not future.cancelled():
            self.release(future.result())
        elif owner in self._waiting and future in self._waiting[owner]:
            self._waiting[owner].remove(future)
            if not self._waiting[owner]:
                del self._waiting[owner]
