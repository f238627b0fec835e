"""A tiny event loop built on generators: what asyncio does, in eighty lines."""
import heapq
import types
from collections import deque
from itertools import count


class Sleep:
    def __init__(self, seconds):
        self.seconds = seconds

    def __await__(self):
        yield self


@types.coroutine
def suspend():
    yield "suspend"


class Task:
    ids = count(1)

    def __init__(self, coro, name=None):
        self.coro, self.name = coro, name or f"task-{next(Task.ids)}"
        self.result = self.error = None
        self.done = False
        self.waiters = []

    def __await__(self):
        if not self.done:
            yield self
        if self.error:
            raise self.error
        return self.result


class Loop:
    def __init__(self):
        self.ready, self.sleeping, self.now, self.tick = deque(), [], 0.0, count()

    def spawn(self, coro, name=None):
        task = Task(coro, name)
        self.ready.append((task, None))
        return task

    def run(self, main):
        main_task = self.spawn(main, "main")
        while self.ready or self.sleeping:
            if not self.ready:
                self.now, _, task = heapq.heappop(self.sleeping)
                self.ready.append((task, None))
            task, value = self.ready.popleft()
            try:
                request = task.coro.send(value)
            except StopIteration as stop:
                self.finish(task, result=stop.value)
            except Exception as e:
                self.finish(task, error=e)
            else:
                match request:
                    case Sleep(seconds=s):
                        heapq.heappush(self.sleeping, (self.now + s, next(self.tick), task))
                    case Task() as other:
                        other.waiters.append(task)
                    case "suspend":
                        self.ready.append((task, None))
                    case _:
                        raise RuntimeError(request)
        if main_task.error:
            raise main_task.error
        return main_task.result

    def finish(self, task, result=None, error=None):
        task.done, task.result, task.error = True, result, error
        self.ready.extend((w, None) for w in task.waiters)


loop = Loop()
log = []


async def worker(name, delays):
    for d in delays:
        await Sleep(d)
        log.append((loop.now, name))
    return name.upper()


async def polite(n):
    for i in range(n):
        log.append(("polite", i))
        await suspend()


async def failing():
    await Sleep(1)
    raise ValueError("inside a task")


async def main():
    a = loop.spawn(worker("a", [1, 2]))
    b = loop.spawn(worker("b", [2, 2]))
    results = [await t for t in (a, b)]
    loop.spawn(polite(2)), loop.spawn(polite(2))
    try:
        await loop.spawn(failing())
    except ValueError as e:
        results.append(str(e))
    return results


results = loop.run(main())
print(results, log)
assert results == ["A", "B", "inside a task"]
assert log[:4] == [(1, "a"), (2, "b"), (3, "a"), (4, "b")]
assert log[4:] == [("polite", 0), ("polite", 0), ("polite", 1), ("polite", 1)]
assert loop.now == 5
