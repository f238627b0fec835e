"""asyncio: gather, queues, task groups, timeouts, async generators and context managers."""
import asyncio
import contextlib
import time
from collections import Counter


async def fetch(name, ticks, log):
    for i in range(ticks):
        log.append(f'{name}{i}')
        await asyncio.sleep(0)
    return name.upper()


class Ticker:
    """Async iterator."""

    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.n:
            raise StopAsyncIteration
        self.n -= 1
        await asyncio.sleep(0)
        return self.n


class Connection:
    opened = Counter()

    def __init__(self, name):
        self.name = name

    async def __aenter__(self):
        await asyncio.sleep(0)
        self.opened[self.name] += 1
        return self

    async def __aexit__(self, exc_type, exc, tb):
        self.opened[self.name] -= 1
        return exc_type is ConnectionError

    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return f'awaited {self.name}'


async def arange(n):
    try:
        for i in range(n):
            yield i
            await asyncio.sleep(0)
    finally:
        Connection.opened['closed generators'] += 1


@contextlib.asynccontextmanager
async def timer(results):
    start = time.perf_counter()
    try:
        yield
    finally:
        results.append(time.perf_counter() - start)


async def producer(queue, items):
    for item in items:
        await queue.put(item)
    await queue.put(None)


async def worker(name, queue, out):
    while True:
        item = await queue.get()
        try:
            if item is None:
                return
            out.append((name, item * item))
        finally:
            queue.task_done()


async def flaky(attempts):
    attempts.append(1)
    if len(attempts) < 3:
        raise ConnectionError('try again')
    return 'ok after %d' % len(attempts)


async def retry(make, times):
    for i in range(times):
        try:
            return await make()
        except ConnectionError as exc:
            last = exc
            await asyncio.sleep(0)
    raise RuntimeError('gave up') from last


async def fail(exc):
    await asyncio.sleep(0)
    raise exc


async def main():
    log = []
    assert await asyncio.gather(fetch('a', 2, log), fetch('b', 3, log)) == ['A', 'B']
    assert log == ['a0', 'b0', 'a1', 'b1', 'b2']
    got = await asyncio.gather(fail(ValueError('x')), fetch('c', 1, log), return_exceptions=True)
    assert isinstance(got[0], ValueError) and got[1] == 'C'

    assert [x async for x in Ticker(3)] == [2, 1, 0]
    assert {x: x * x async for x in arange(4) if x % 2} == {1: 1, 3: 9}
    agen = arange(10)
    async for x in agen:
        if x == 2:
            break
    await agen.aclose()
    assert Connection.opened['closed generators'] == 2

    async with Connection('db') as one, Connection('web'):
        assert one.opened == Counter({'closed generators': 2, 'db': 1, 'web': 1})
        raise_it = ConnectionError('swallowed')
        raise raise_it
    assert Connection.opened['db'] == 0 and await Connection('z') == 'awaited z'

    queue, out = asyncio.Queue(maxsize=2), []
    await asyncio.gather(producer(queue, range(5)), worker('w', queue, out))
    await queue.join()
    assert out == [('w', n * n) for n in range(5)] and queue.empty()

    attempts = []
    assert await retry(lambda: flaky(attempts), 5) == 'ok after 3'
    try:
        await retry(lambda: fail(ConnectionError()), 2)
    except RuntimeError as e:
        assert isinstance(e.__cause__, ConnectionError)
    else:
        raise AssertionError

    async with asyncio.TaskGroup() as tg:
        tasks = [tg.create_task(fetch(n, 1, log), name=n) for n in 'xyz']
    assert [t.result() for t in tasks] == ['X', 'Y', 'Z'] and tasks[0].get_name() == 'x'
    caught = []
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(fail(KeyError('k')))
            tg.create_task(fail(ValueError('v')))
    except* KeyError as eg:
        caught += [repr(e) for e in eg.exceptions]
    except* ValueError as eg:
        caught += [repr(e) for e in eg.exceptions]
    assert caught == ["KeyError('k')", "ValueError('v')"]

    try:
        async with asyncio.timeout(0.001):
            await asyncio.sleep(10)
    except TimeoutError:
        log.append('timed out')
    try:
        await asyncio.wait_for(asyncio.Event().wait(), 0.001)
    except asyncio.TimeoutError:
        log.append('again')
    assert log[-2:] == ['timed out', 'again']

    task = asyncio.create_task(asyncio.sleep(10))
    await asyncio.sleep(0)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()

    sem, running, peak = asyncio.Semaphore(2), 0, 0

    async def limited():
        nonlocal running, peak
        async with sem:
            running += 1
            peak = max(peak, running)
            await asyncio.sleep(0)
            running -= 1

    await asyncio.gather(*(limited() for _ in range(6)))
    assert peak == 2
    times = []
    async with timer(times):
        done, pending = await asyncio.wait([asyncio.create_task(fetch('q', 1, log))])
    assert len(done) == 1 and not pending and times[0] >= 0
    first = await next(asyncio.as_completed([fetch('p', 1, [])]))
    return first


if __name__ == '__main__':
    assert asyncio.run(main()) == 'P'
    print('event loop closed')
