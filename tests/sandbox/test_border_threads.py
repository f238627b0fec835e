"""Threads of two processes that call each other."""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from runner.sandbox.border.peer import DEEPEST, Peer
from runner.sandbox.border.protocol import Broken, Channel, Gone, Operation, encode
from tests.patience import await_that
from tests.sandbox.border_process import process
from tests.sandbox.border_programs import run_judged
from tests.sandbox.programs.table import Judged, read_tables

SOURCE = """
import collections, os, queue, threading, time

own = threading.local()
waiting = queue.Queue()

def Add(a, b): return a + b
def Put(x): waiting.put(x)
def Take(): return waiting.get(timeout=5)
def Remember(x): own.value = x
def Recall(): return getattr(own, "value", None)
def Numbers(n): yield from range(n)
def Die(): os._exit(0)
def Forever(): threading.Event().wait()
def Deep(f, n): return f(n)
def Sort(xs): xs.sort()
class Key:
    def __init__(self, n): self.n = n
    def __hash__(self): return hash(self.n)
    def __eq__(self, other): return isinstance(other, Key) and other.n == self.n
def Keys(n): return {Key(i): i for i in range(n)}

def InThreads(f, xs):
    found = {}
    def work(x): found[x] = f(x)
    threads = [threading.Thread(target=work, args=(x,)) for x in xs]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return found

def Start(f, *args, seconds=0):
    def work():
        time.sleep(seconds)
        f(*args)
    threading.Thread(target=work, daemon=True).start()

def Counted(lock, box, n):
    def work():
        for _ in range(n):
            with lock:
                box.value = box.value + 1
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

def Transfer(taken, given):
    def work():
        while (item := taken.get()) is not None:
            given.put(item * 2)
    threading.Thread(target=work, daemon=True).start()
"""


@pytest.fixture(scope="module")
def subject() -> Iterator[dict[str, Any]]:
    with process(SOURCE) as (_, names):
        yield names


def in_thread(function: Any, *args: Any) -> threading.Thread:
    thread = threading.Thread(target=function, args=args, daemon=True)
    thread.start()
    return thread


# --- threads of the test's ------------------------------------------------------------------------


def test_each_thread_gets_its_own_answers(subject: dict[str, Any]) -> None:
    def work(n: int) -> list[Any]:
        numbers = [n, 1]
        subject["Sort"](numbers)
        added = [subject["Add"](n, i) for i in range(20)]
        keys = sorted(subject["Keys"](3).values())
        return [numbers, added, keys, [*subject["Numbers"](n)]]

    with ThreadPoolExecutor(8) as pool:
        for n, found in enumerate(pool.map(work, range(40))):
            assert found == [sorted([n, 1]), [n + i for i in range(20)], [0, 1, 2], [*range(n)]]


def test_calls_of_threads_do_not_wait_for_each_other(subject: dict[str, Any]) -> None:
    with ThreadPoolExecutor(2) as pool:
        taken = [pool.submit(subject["Take"]) for _ in range(2)]
        for n in range(2):
            subject["Put"](n)
        assert sorted(each.result(5) for each in taken) == [0, 1]
    putting = threading.Timer(0.02, subject["Put"], ["late"])
    putting.start()
    assert subject["Take"]() == "late"

    async def main() -> Any:
        return await asyncio.gather(
            asyncio.to_thread(subject["Take"]), asyncio.to_thread(subject["Put"], 5)
        )

    assert asyncio.run(main()) == [5, None]


def test_a_thread_is_the_same_one_there_from_call_to_call(subject: dict[str, Any]) -> None:
    found: dict[int, list[Any]] = {}

    def work(n: int) -> None:
        found[n] = [subject["Recall"](), subject["Remember"](n), subject["Recall"]()]

    for n in range(30):
        in_thread(work, n).join(5)
    assert found == {n: [None, None, n] for n in range(30)}


def test_each_thread_may_call_back_as_deep(subject: dict[str, Any]) -> None:
    def again(n: int) -> int:
        return n and 1 + int(subject["Deep"](again, n - 1))

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(again, [DEEPEST - 20] * 4)] == [DEEPEST - 20] * 4


def test_a_generator_may_go_on_in_another_thread(subject: dict[str, Any]) -> None:
    numbers = subject["Numbers"](5)
    assert next(numbers) == 0
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(list, numbers).result(5) == [1, 2, 3, 4]


# --- threads of the implementation's --------------------------------------------------------------


def test_threads_call_back_while_the_test_waits(subject: dict[str, Any]) -> None:
    def double(x: int) -> int:
        return int(subject["Add"](x, x))

    assert subject["InThreads"](double, range(10)) == {n: 2 * n for n in range(10)}


def test_threads_call_back_while_the_test_does_something_else() -> None:
    with process(SOURCE) as (_, names):
        for n in range(3):
            event = threading.Event()
            names["Start"](event.set, seconds=0.02 * n)
            assert event.wait(5)
        done: queue.Queue[int] = queue.Queue()
        names["Start"](done.put, 4)
        assert done.get(timeout=5) == 4

        async def main() -> None:
            loop = asyncio.get_running_loop()
            future = loop.create_future()
            names["Start"](lambda: loop.call_soon_threadsafe(future.set_result, 3), seconds=0.02)
            assert await asyncio.wait_for(future, 5) == 3

        asyncio.run(main())


def test_what_threads_share_works_on_both_sides(subject: dict[str, Any]) -> None:
    class Box:
        value = 0

    box, lock = Box(), threading.Lock()

    def count() -> None:
        for _ in range(30):
            with lock:
                value = box.value
                time.sleep(0)
                box.value = value + 1

    counting = in_thread(count)
    subject["Counted"](lock, box, 10)
    counting.join(5)
    assert box.value == 60
    taken: queue.Queue[Any] = queue.Queue()
    given: queue.Queue[Any] = queue.Queue()
    subject["Transfer"](taken, given)
    for n in range(5):
        taken.put(n)
        assert given.get(timeout=5) == 2 * n
    taken.put(None)


# --- ends -----------------------------------------------------------------------------------------


def test_all_threads_hear_of_the_end() -> None:
    with process(SOURCE) as (peer, names):
        told: queue.Queue[str] = queue.Queue()

        def wait() -> None:
            try:
                names["Forever"]()
            except Broken:
                told.put("broken")

        for _ in range(3):
            in_thread(wait)
        names["Add"](1, 2)
        with pytest.raises(Broken):
            names["Die"]()
        assert [told.get(timeout=5) for _ in range(3)] == ["broken"] * 3
        assert peer.broken


REQUEST = ["?", 1, "call", 1, "", [], None, [], [], [], []]
ANSWER = [1, [1], [], [], [], []]


@pytest.mark.parametrize(
    "messages",
    [
        [["=", *ANSWER], ["=", *ANSWER]],
        [["=", 3, *ANSWER[1:]]],
        [["=", True, *ANSWER[1:]]],
        [["=", -1, *ANSWER[1:]]],
        [["=", [1], *ANSWER[1:]]],
        [[*REQUEST, -1]],
        [[*REQUEST, "1"]],
        [[*REQUEST, True]],
        [[*REQUEST[:1], "1", *REQUEST[2:], 0]],
        [["&", *REQUEST[1:6]]],
        [["closed", 1]],
        [["closed", 0]],
        [["closed", []]],
        [["ready", 7]],
        [["ready", {}]],
        [["threads", 1]],
        [["closed"]],
    ],
    ids=json.dumps,
)
def test_what_no_honest_process_sends_breaks_the_border(messages: list[Any]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = Peer(Channel(ours.fileno()), is_judge=True)
        peer.offer({})
        for message in messages:
            Channel(theirs.fileno()).send(encode(message))
        with pytest.raises(Broken):
            assert [peer.ask(Operation.CALL, 1, "") for _ in range(2)]
        assert peer.broken


def test_only_so_many_threads_are_started() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        peer = Peer(Channel(ours.fileno()), is_judge=True)
        number = peer.offer({})
        channel = Channel(theirs.fileno())

        def flood() -> None:
            with contextlib.suppress(Gone):
                for line in range(1, 3_000):
                    asked = ["call", number, "", [], None, [], [], [], []]
                    channel.send(encode(["?", line, *asked, line]))

        before = threading.active_count()
        in_thread(flood)
        with pytest.raises(Broken):
            peer.ask(Operation.CALL, 1, "")
        assert threading.active_count() - before <= 1_011
        # They may still answer, on a descriptor that another test's border must not have.
        ours.shutdown(socket.SHUT_RDWR)
        await_that(lambda: threading.active_count() <= before, what="the threads have ended")


# --- programs -------------------------------------------------------------------------------------

# What their tests need of the border besides threads.
MISSING: dict[str, str] = {"objects_of_library_classes": "modules that cross by name"}


def _programs() -> list[Judged]:
    found = [each for each in read_tables() if isinstance(each, Judged) and not each.uses_pytest]
    words = ("threading", "concurrent.futures")
    return [each for each in found if any(w in each.implementation + each.test for w in words)]


@pytest.mark.parametrize("program", _programs(), ids=lambda program: program.name)
def test_programs_run_across_the_border(program: Judged) -> None:
    if program.name in MISSING:
        pytest.xfail(MISSING[program.name])
    run_judged(program)
