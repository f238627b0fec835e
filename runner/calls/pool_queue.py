"""The free pools of the call server, and who waits for one."""

import asyncio
from collections import deque

from runner.sandbox import Pool

CALLS, CELLS = range(2)


class PoolQueue:
    """Free pools. Calls and cells of checks that wait for one get them in turns."""

    def __init__(self) -> None:
        self._free: deque[Pool] = deque()
        self._waiting: tuple[deque[asyncio.Future[Pool]], ...] = (deque(), deque())
        self._served_last = CELLS

    def empty(self) -> bool:
        """Return whether no pool is free."""
        return not self._free

    def get_nowait(self) -> Pool:
        """Take a free pool. Raises IndexError if there is none."""
        return self._free.popleft()

    async def get(self, purpose: int = CALLS) -> Pool:
        """Take a pool, when it is this purpose's turn."""
        if self._free:
            return self.get_nowait()
        future: asyncio.Future[Pool] = asyncio.get_running_loop().create_future()
        self._waiting[purpose].append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.put_nowait(future.result())  # it came too late
            raise

    def put_nowait(self, pool: Pool) -> None:
        """Give a pool to who is next, or keep it."""
        for purpose in (1 - self._served_last, self._served_last):
            waiting = self._waiting[purpose]
            while waiting:
                future = waiting.popleft()
                if not future.done():
                    self._served_last = purpose
                    future.set_result(pool)
                    return
        self._free.append(pool)
