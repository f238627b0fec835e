"""Coroutines of one process that are awaited in another one."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from runner.sandbox.border.peer import Peer
from runner.sandbox.border.protocol import Broken, Channel, EarlyExit, Operation, encode
from tests.sandbox.border_process import process
from tests.sandbox.border_programs import run_judged
from tests.sandbox.programs.table import Judged, read_tables

SOURCE = """
import asyncio, contextvars, os, threading

log = []
name = contextvars.ContextVar("name", default="nobody")

def Log():
    taken = log[:]
    log.clear()
    return taken

async def Give(x): return x
async def Slowly(x, seconds=0.01):
    await asyncio.sleep(seconds)
    return x
async def Raise(error): raise error
async def Append(xs):
    xs.append(1)
    await asyncio.sleep(0)
    xs.append(2)
async def Call(f, *args): return await f(*args)
async def Both(f, g): return await asyncio.gather(f(), g())
async def Group(f, n):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(f(i)) for i in range(n)]
    return [task.result() for task in tasks]

most = running = 0
async def Overlap():
    global most, running
    running += 1
    most = max(most, running)
    for _ in range(3):
        await asyncio.sleep(0)
    running -= 1
    return most

async def Forever(kind="pass"):
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError as error:
        log.append("cancelled")
        if kind == "swallow":
            return "kept on"
        if kind == "clean":
            await asyncio.sleep(0.01)
            log.append("clean")
        raise

async def Busy():
    while True:
        await asyncio.sleep(0)

async def Count(n):
    try:
        for i in range(n):
            await asyncio.sleep(0)
            yield i
    except KeyError as error:
        yield f"caught {error.args[0]}"
    finally:
        log.append("closed")

async def Echo():
    said = None
    while True:
        said = yield said

async def Stop():
    raise StopAsyncIteration
    yield

class Session:
    def __init__(self, log): self.log = log
    async def __aenter__(self):
        self.log.append("in")
        return self
    async def __aexit__(self, kind, error, trace):
        await asyncio.sleep(0)
        self.log.append(kind.__name__ if kind else "out")
    def __await__(self):
        yield from asyncio.sleep(0.001).__await__()
        return "awaited"

class Service:
    def start(self):
        self.task = asyncio.create_task(self.run())
        return asyncio.get_running_loop().is_running()
    async def run(self):
        self.ticks = 0
        while True:
            self.ticks += 1
            await asyncio.sleep(0.001)

async def LeaveBehind():
    async def rest():
        try:
            await asyncio.sleep(30)
        finally:
            log.append("ended")
    asyncio.create_task(rest())
    await asyncio.sleep(0)

def RunOwn(f, *args): return asyncio.run(f(*args))
def RunCall(f, *args): return asyncio.run(Call(f, *args))
async def InThread(): return await asyncio.to_thread(threading.get_ident) != threading.get_ident()
async def Transfer(taken, given):
    while (item := await taken.get()) is not None:
        await given.put(item * 2)
def MakeQueue(): return asyncio.Queue()
def MakeEvent(): return asyncio.Event()
async def Wait(event):
    await event.wait()
    return "woken"
async def Locked(lock, n):
    async with lock:
        log.append(n)
        await asyncio.sleep(0)
        log.append(n)
async def Introduce(text): name.set(text)
async def Name(): return name.get()
async def Die(): os._exit(0)
async def DieLater():
    await asyncio.sleep(0.01)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def subject() -> Iterator[dict[str, Any]]:
    with process(SOURCE) as (_, names):
        yield names


def run(main: Callable[[], Awaitable[Any]]) -> Any:
    async def limited() -> Any:
        async with asyncio.timeout(5):
            return await main()

    return asyncio.run(limited())


async def double(x: int) -> int:
    await asyncio.sleep(0.001)
    return 2 * x


# --- values and exceptions ------------------------------------------------------------------------


def test_coroutines_are_awaited(subject: dict[str, Any]) -> None:
    assert inspect.iscoroutine(made := subject["Give"](1))
    assert asyncio.run(made) == 1
    assert asyncio.run(subject["Slowly"]([2])) == [2]

    async def main() -> None:
        assert await subject["Give"](3) == 3
        task = asyncio.create_task(subject["Slowly"](4))
        first, second = await asyncio.gather(subject["Slowly"](5, 0.02), subject["Slowly"](6))
        assert (first, second) == (5, 6)
        assert await task == 4
        assert await subject["InThread"]()
        assert [await each for each in asyncio.as_completed([task, subject["Give"](7)])]

    run(main)


def test_containers_are_changed_when_a_coroutine_has_ended(subject: dict[str, Any]) -> None:
    given: list[int] = []
    asyncio.run(subject["Append"](given))
    assert given == [1, 2]


def test_coroutines_take_turns(subject: dict[str, Any]) -> None:
    async def main() -> None:
        assert max(await asyncio.gather(*(subject["Overlap"]() for _ in range(4)))) == 4

    run(main)


@pytest.mark.parametrize("error", [ValueError("a"), KeyError(1), SystemExit(3)], ids=repr)
def test_exceptions_arrive(subject: dict[str, Any], error: BaseException) -> None:
    with pytest.raises(type(error)) as raised:
        asyncio.run(subject["Raise"](error))
    assert raised.value.args == error.args


@pytest.mark.parametrize(
    "error", [StopAsyncIteration, GeneratorExit, asyncio.CancelledError, KeyboardInterrupt]
)
def test_nothing_leaves_a_test_early(subject: dict[str, Any], error: type[BaseException]) -> None:
    with pytest.raises(EarlyExit, match=f"raised {error.__name__}"):
        asyncio.run(subject["Raise"](error()))


# --- cancelling -----------------------------------------------------------------------------------


def test_cancelling_reaches_the_other_side(subject: dict[str, Any]) -> None:
    async def main() -> None:
        for kind, said in (("pass", ["cancelled"]), ("clean", ["cancelled", "clean"])):
            subject["Log"]()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(subject["Forever"](kind), 0.01)
            assert subject["Log"]() == said
        task = asyncio.create_task(subject["Forever"]("swallow"))
        # Before Python 3.12 its first step is taken an iteration later.
        await asyncio.sleep(0.01)
        task.cancel()
        assert await task == "kept on"
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(subject["Busy"](), 0.01)

    run(main)


def test_cancelling_comes_back(subject: dict[str, Any]) -> None:
    async def main() -> None:
        cancelled = []

        async def wait() -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append("here")
                raise

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(subject["Call"](wait), 0.01)
        assert cancelled == ["here"]

        async def fail() -> None:
            raise ValueError("mine")

        with pytest.raises(ValueError, match="mine"):
            await subject["Both"](wait, fail)

    run(main)


# --- back and forth -------------------------------------------------------------------------------


def test_coroutines_of_the_tests_own_are_awaited(subject: dict[str, Any]) -> None:
    async def again(n: int) -> int:
        return n and 1 + await subject["Call"](again, n - 1)

    async def main() -> None:
        assert await subject["Call"](double, 4) == 8
        assert await subject["Group"](double, 5) == [0, 2, 4, 6, 8]
        assert await again(10) == 10
        with pytest.raises(KeyError):
            await subject["Call"](subject["Raise"], KeyError("k"))

    run(main)


def test_a_loop_of_the_implementations_own(subject: dict[str, Any]) -> None:
    assert subject["RunCall"](double, 3) == 6
    assert subject["RunCall"](subject["Slowly"], 4) == 4
    assert subject["RunOwn"](subject["Give"], 5) == 5

    async def main() -> None:
        with pytest.raises(RuntimeError, match="running event loop"):
            subject["RunCall"](double, 3)
        assert await asyncio.to_thread(subject["RunCall"], double, 3) == 6

    run(main)


def test_what_both_sides_wait_for(subject: dict[str, Any]) -> None:
    async def main() -> None:
        queue: Any = asyncio.Queue()
        for taken, given in ((queue, subject["MakeQueue"]()), (subject["MakeQueue"](), queue)):
            task = asyncio.create_task(subject["Transfer"](taken, given))
            for n in range(3):
                await taken.put(n)
                assert await given.get() == 2 * n
            taken.put_nowait(None)
            await task
        for event in (asyncio.Event(), subject["MakeEvent"]()):
            woken = asyncio.create_task(subject["Wait"](event))
            await asyncio.sleep(0.01)
            event.set()
            assert await woken == "woken"
        subject["Log"]()
        lock = asyncio.Lock()
        await asyncio.gather(*(subject["Locked"](lock, n) for n in range(3)))
        assert subject["Log"]() == [0, 0, 1, 1, 2, 2]

    run(main)


def test_plain_calls_know_the_running_loop(subject: dict[str, Any]) -> None:
    async def main() -> None:
        service = subject["Service"]()
        assert service.start()
        await asyncio.sleep(0.03)
        assert service.ticks > 2
        service.task.cancel()

    run(main)


def test_each_task_has_a_context(subject: dict[str, Any]) -> None:
    async def introduce(name: str) -> str:
        await subject["Introduce"](name)
        await asyncio.sleep(0)
        return str(await subject["Name"]())

    async def main() -> None:
        first, second = await asyncio.gather(introduce("a"), introduce("b"))
        assert (first, second) == ("a", "b")
        assert await subject["Name"]() == "nobody"

    run(main)


# --- asynchronous protocols -----------------------------------------------------------------------


def test_asynchronous_generators(subject: dict[str, Any]) -> None:
    async def main() -> None:
        assert [x async for x in subject["Count"](3)] == [0, 1, 2]
        counting = subject["Count"](3)
        assert await anext(counting) == 0
        assert await counting.athrow(KeyError("k")) == "caught k"
        subject["Log"]()
        await counting.aclose()
        assert subject["Log"]() == ["closed"]
        assert await anext(counting, "over") == "over"
        echo = subject["Echo"]()
        await anext(echo)
        assert await echo.asend("said") == "said"
        with pytest.raises(RuntimeError, match="StopAsyncIteration"):
            _ = [x async for x in subject["Stop"]()]

    run(main)


def test_context_managers_and_awaitable_objects(subject: dict[str, Any]) -> None:
    async def main() -> None:
        log: list[str] = []
        async with subject["Session"](log) as session:
            assert log == ["in"]
            assert await session == "awaited"
        assert log == ["in", "out"]
        with contextlib.suppress(KeyError):
            async with session:
                raise KeyError
        assert session.log[-1] == "KeyError"

    run(main)


# --- ends -----------------------------------------------------------------------------------------


def test_what_is_left_at_the_end_of_a_loop_is_cancelled(subject: dict[str, Any]) -> None:
    subject["Log"]()
    asyncio.run(subject["LeaveBehind"]())
    assert subject["Log"]() == ["ended"]

    async def main() -> None:
        asyncio.create_task(subject["Forever"]())  # noqa: RUF006 - nobody waits
        await asyncio.sleep(0.001)

    asyncio.run(main())
    assert subject["Log"]() == ["cancelled"]


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_a_coroutine_that_nobody_awaits_is_forgotten(subject: dict[str, Any]) -> None:
    subject["Slowly"](1)
    started = subject["Slowly"](1)
    loop = asyncio.new_event_loop()
    task = loop.create_task(started)
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    assert not task.done()
    assert asyncio.run(subject["Give"](2)) == 2


def test_waiting_takes_no_time_of_a_processor(subject: dict[str, Any]) -> None:
    before = time.process_time()
    asyncio.run(subject["Slowly"](1, 0.3))
    assert time.process_time() - before < 0.15


@pytest.mark.parametrize("name", ["Die", "DieLater"])
def test_the_end_of_the_other_process_is_noticed(name: str) -> None:
    with process(SOURCE) as (peer, names):
        with pytest.raises(Broken):
            asyncio.run(names[name]())
        assert peer.broken


HOSTILE = [
    [],
    None,
    "x",
    1.5,
    [1, 2],
]


@pytest.mark.parametrize("answer", HOSTILE, ids=json.dumps)
def test_nonsense_about_a_coroutine_breaks_the_border(answer: Any) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = Peer(Channel(ours.fileno()), is_judge=True)
        channel = Channel(theirs.fileno())
        heap = [["list", answer]] if type(answer) is list else []
        channel.send(encode(["=", 1, [[0] if heap else answer], heap, [], [], []]))
        with pytest.raises(Broken):
            asyncio.run(peer.awaiting(1, "__await__"))
        assert peer.broken


@pytest.mark.parametrize(
    "request_",
    [
        ["await", 0, "", ["x"]],
        ["await", 1, "__init__", [0]],
        ["result", 0, "", [1]],
        ["cancel", 0, "", ["x"]],
        ["run", 0, "", []],
        ["run", 0, "", [1]],
        ["call", 0, "", []],
    ],
    ids=json.dumps,
)
def test_nonsense_in_a_request_breaks_the_border(request_: list[Any]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = Peer(Channel(ours.fileno()), is_judge=True)
        peer.offer({})
        operation, target, name, args = request_
        asked = ["?", 1, operation, target, name, [], None, args, [], [], [], 0]
        Channel(theirs.fileno()).send(encode(asked))
        with pytest.raises(Broken):
            peer.ask(Operation.CALL, 1, "")


# --- programs -------------------------------------------------------------------------------------


def _programs() -> list[Judged]:
    found = [each for each in read_tables() if isinstance(each, Judged) and not each.uses_pytest]
    words = ("asyncio", "async def")
    return [each for each in found if any(w in each.implementation + each.test for w in words)]


@pytest.mark.parametrize("program", _programs(), ids=lambda program: program.name)
def test_programs_run_across_the_border(program: Judged) -> None:
    run_judged(program)
