"""Producers and consumers with asyncio, and an event loop from scratch."""
import asyncio
import heapq
from collections import deque
from contextlib import asynccontextmanager
from itertools import count


async def produce(queue, name, n):
    for i in range(n):
        await queue.put((name, i))
        await asyncio.sleep(0)


async def consume(queue, results):
    while True:
        item = await queue.get()
        results.append(item)
        queue.task_done()


async def squares(n):
    for i in range(n):
        yield i * i
        await asyncio.sleep(0)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.n <= 0:
            raise StopAsyncIteration
        self.n -= 1
        return self.n + 1


@asynccontextmanager
async def traced(log, name):
    log.append(f"enter {name}")
    try:
        yield name.upper()
    except ZeroDivisionError:
        log.append(f"swallowed in {name}")
    finally:
        log.append(f"leave {name}")


async def main():
    queue, results = asyncio.Queue(maxsize=2), []
    consumer = asyncio.create_task(consume(queue, results))
    await asyncio.gather(*(produce(queue, name, 3) for name in "ab"))
    await queue.join()
    consumer.cancel()
    assert sorted(results) == [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("b", 2)]

    assert [x async for x in squares(5) if x % 2 == 0] == [0, 4, 16]
    assert [x async for x in Countdown(3)] == [3, 2, 1]

    log = []
    async with traced(log, "one") as name:
        assert name == "ONE"
        1 / 0
    assert log == ["enter one", "swallowed in one", "leave one"]

    async def fail():
        raise LookupError("lost")

    good, bad = await asyncio.gather(asyncio.sleep(0, "fine"), fail(), return_exceptions=True)
    assert good == "fine" and isinstance(bad, LookupError)
    try:
        await asyncio.wait_for(asyncio.sleep(30), timeout=0.001)
    except asyncio.TimeoutError:
        log.append("timed out")
    assert log[-1] == "timed out"
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            group.create_task(asyncio.sleep(30))
    except* LookupError as several:
        assert len(several.exceptions) == 1


class Loop:
    """Cooperative tasks are generators; what they yield is how long to sleep."""

    def __init__(self):
        self.now = 0
        self._ready = deque()
        self._asleep = []
        self._tie = count()

    def spawn(self, task):
        self._ready.append(task)
        return self

    def run(self):
        while self._ready or self._asleep:
            if not self._ready:
                self.now, _, task = heapq.heappop(self._asleep)
                self._ready.append(task)
            task = self._ready.popleft()
            try:
                delay = task.send(None)
            except StopIteration:
                continue
            heapq.heappush(self._asleep, (self.now + delay, next(self._tie), task))


def ticker(loop, name, every, times, out):
    for _ in range(times):
        yield every
        out.append((loop.now, name))


loop, out = Loop(), []
loop.spawn(ticker(loop, "tick", 2, 4, out)).spawn(ticker(loop, "tock", 3, 2, out)).run()
assert out == [(2, "tick"), (3, "tock"), (4, "tick"), (6, "tock"), (6, "tick"), (8, "tick")]

if __name__ == "__main__":
    asyncio.run(main())
    print(out)
