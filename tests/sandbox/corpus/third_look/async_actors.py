import asyncio
from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import Any, AsyncIterator, Awaitable, Callable, Self


class Actor:
    def __init__(self) -> None:
        self._inbox: asyncio.Queue[tuple[Any, asyncio.Future]] = asyncio.Queue()
        self._task: asyncio.Task | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, et, ev, tb: TracebackType | None) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self):
        while True:
            msg, fut = await self._inbox.get()
            try:
                fut.set_result(await self.handle(msg))
            except Exception as e:
                fut.set_exception(e)

    async def ask(self, msg):
        fut = asyncio.get_running_loop().create_future()
        await self._inbox.put((msg, fut))
        return await fut

    async def handle(self, msg): ...


class Counter(Actor):
    value = 0

    async def handle(self, msg):
        match msg:
            case ("add", int(n)):
                self.value += n
                return self.value
            case "boom":
                raise ValueError("boom")


class Broadcast:
    def __init__(self):
        self.subs: list[asyncio.Queue] = []

    async def listen(self, n) -> AsyncIterator:
        q = asyncio.Queue()
        self.subs.append(q)
        try:
            for _ in range(n):
                yield await q.get()
        finally:
            self.subs.remove(q)

    def publish(self, x):
        for q in self.subs:
            q.put_nowait(x)


async def retry(fn: Callable[[], Awaitable], attempts: int, base=0.001):
    for i in range(attempts):
        try:
            return await fn()
        except OSError:
            if i == attempts - 1:
                raise
            await asyncio.sleep(base * 2**i)


async def main():
    async with Counter() as c:
        assert await c.ask(("add", 5)) == 5
        assert await asyncio.gather(*(c.ask(("add", 1)) for _ in range(3))) == [6, 7, 8]
        try:
            await c.ask("boom")
        except ValueError as e:
            print("got", e)
    b = Broadcast()

    async def reader():
        return [x async for x in b.listen(2)]

    t = asyncio.create_task(reader())
    await asyncio.sleep(0)
    b.publish(1)
    b.publish(2)
    assert await t == [1, 2]
    await asyncio.sleep(0)
    fails = iter([OSError(1), OSError(2), None])

    async def flaky():
        if (e := next(fails)) is not None:
            raise e
        return "ok"

    assert await retry(flaky, 3) == "ok"
    cond, items = asyncio.Condition(), deque()

    async def take():
        async with cond:
            await cond.wait_for(lambda: items)
            return items.popleft()

    tk = asyncio.ensure_future(take())
    await asyncio.sleep(0)
    async with cond:
        items.append("x")
        cond.notify_all()
    assert await asyncio.wait_for(tk, 1) == "x"
    results = []
    asyncio.get_running_loop().call_soon(results.append, "soon")
    await asyncio.sleep(0)
    assert results == ["soon"] and asyncio.iscoroutinefunction(take) and asyncio.current_task().get_name()
    shielded = asyncio.shield(asyncio.sleep(0, "safe"))
    assert await shielded == "safe"
    pq = asyncio.PriorityQueue()
    for x in (3, 1, 2):
        pq.put_nowait(x)
    assert [await pq.get() for _ in range(3)] == [1, 2, 3]
    return len(asyncio.all_tasks())


print(asyncio.run(main()))
