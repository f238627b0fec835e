import asyncio
import random
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


async def fetch(n, delay=0.001):
    await asyncio.sleep(delay)
    if n == 13:
        raise ValueError("unlucky")
    return {"id": n, "square": n * n}


async def ticker(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)


async def producer(queue, items):
    for item in items:
        await queue.put(item)
        await asyncio.sleep(0)
    await queue.put(None)


async def consumer(queue, out):
    while (item := await queue.get()) is not None:
        out.append(item * 10)
        queue.task_done()


@asynccontextmanager
async def connection(log):
    log.append("open")
    try:
        yield log
    finally:
        await asyncio.sleep(0)
        log.append("close")


@dataclass
class Account:
    balance: int = 100
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def withdraw(self, amount):
        async with self.lock:
            current = self.balance
            await asyncio.sleep(0.001)
            if current >= amount:
                self.balance = current - amount
                return True
            return False


class Counter:
    def __init__(self, stop):
        self.n, self.stop = 0, stop

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.n >= self.stop:
            raise StopAsyncIteration
        self.n += 1
        return self.n


class Later:
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return "later"


async def main():
    results = await asyncio.gather(*(fetch(i) for i in range(5)))
    assert [r["square"] for r in results] == [0, 1, 4, 9, 16]

    mixed = await asyncio.gather(fetch(1), fetch(13), return_exceptions=True)
    assert isinstance(mixed[1], ValueError)

    assert [i async for i in ticker(4) if i % 2] == [1, 3]
    assert [n async for n in Counter(3)] == [1, 2, 3]
    assert await Later() == "later"

    queue, out = asyncio.Queue(maxsize=2), []
    await asyncio.gather(producer(queue, range(5)), consumer(queue, out))
    assert out == [0, 10, 20, 30, 40]

    async with connection([]) as log:
        log.append("work")
    assert log == ["open", "work", "close"]

    try:
        await asyncio.wait_for(asyncio.sleep(10), timeout=0.01)
    except asyncio.TimeoutError:
        print("timed out")

    account = Account()
    oks = await asyncio.gather(*(account.withdraw(60) for _ in range(3)))
    assert oks.count(True) == 1 and account.balance == 40

    task = asyncio.create_task(asyncio.sleep(5), name="sleeper")
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print(task.get_name(), "cancelled", task.cancelled())

    sem, active, peak = asyncio.Semaphore(2), 0, 0

    async def limited(i):
        nonlocal active, peak
        async with sem:
            active += 1
            peak = max(peak, active)
            await asyncio.sleep(0)
            active -= 1
    async with asyncio.TaskGroup() as tg:
        for i in range(6):
            tg.create_task(limited(i))
    assert peak == 2

    event = asyncio.Event()
    asyncio.get_running_loop().call_soon(event.set)
    await event.wait()

    done, pending = await asyncio.wait({asyncio.create_task(fetch(i, 0.001 * i)) for i in range(3)},
                                       return_when=asyncio.ALL_COMPLETED)
    assert len(done) == 3 and not pending
    first = [(await f)["id"] for f in asyncio.as_completed([fetch(2, 0.01), fetch(1, 0.001)])]
    assert first == [1, 2]
    return "all done"


if __name__ == "__main__":
    started = time.perf_counter()
    print(asyncio.run(main()))
    assert time.perf_counter() - started < 5
