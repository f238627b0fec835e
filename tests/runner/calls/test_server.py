"""The callers: who gets a place, who gives it back, and what outlives what."""

import asyncio
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from pytest_django import Settings

from runner.calls import (
    Busy,
    CallRequest,
    CallServerUnavailable,
    ProgramsRequest,
    SourcesMissing,
    run_call,
    run_programs,
)
from runner.calls import (
    client as asking,
)
from runner.calls import (
    connections as lines,
)
from runner.calls.addresses import listen
from runner.calls.server import ServerLimits, SourceCache
from runner.programs.program import make_program, module_row, source_hash
from runner.sandbox import Limits, Module, Outcome, Pool, Refused, Verdict
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.callers import Served, serving

SOURCE = "import time\ndef F(seconds=0):\n    time.sleep(seconds)\n    return seconds\n"
ROW = module_row("F", source_hash(SOURCE), ())
CALL = CallRequest("mira", (ROW,), "F", {"args": []}, {ROW[1]: SOURCE})
ROOM = ServerLimits(capacity=3, per_owner=2, wait_seconds=20)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as pool:
        yield pool


@pytest.fixture
def callers(pool: Pool, settings: Settings) -> Iterator[Served]:
    with serving(pool, room=ROOM, keep=True) as served:
        settings.CALLERS_SOCKET = str(served.path)
        yield served


def sleeping(seconds: float) -> CallRequest:
    return replace(CALL, arguments={"args": [seconds]})


def test_places_are_few_and_nobody_has_them_all(callers: Served) -> None:
    with ThreadPoolExecutor(3) as threads, callers.kept_busy():
        waiting = [threads.submit(run_call, CALL) for _ in range(2)]
        await_that(lambda: callers.taken("mira") == 2)
        with pytest.raises(Busy) as own:
            run_call(CALL)
        waiting.append(threads.submit(run_call, replace(CALL, owner="otto")))
        await_that(lambda: callers.taken("otto") == 1)
        with pytest.raises(Busy) as others:
            run_call(replace(CALL, owner="jun"))
    assert [one.result().value for one in waiting] == [0, 0, 0]
    assert (own.value.own, others.value.own) == (True, False)
    assert run_call(CALL).value == 0


def test_whoever_waits_too_long_for_a_turn_is_told_so(pool: Pool, settings: Settings) -> None:
    with serving(pool, room=replace(ROOM, wait_seconds=0.2), keep=True) as served:
        settings.CALLERS_SOCKET = str(served.path)
        with served.kept_busy(), pytest.raises(Busy):
            run_call(CALL)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[socket.socket]:
    """The connections on which somebody waits in such a way that he can go away."""
    connections = []
    wait = asking._becomes_readable

    async def noting(connection: socket.socket, seconds: float) -> None:
        connections.append(connection)
        await wait(connection, seconds)

    monkeypatch.setattr(asking, "_becomes_readable", noting)
    return connections


def test_a_call_that_nobody_waits_for_is_killed_and_its_place_free(
    callers: Served, waits: list[socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.calls.server.CALL_LIMITS", Limits(wall_ms=600_000))

    async def leave() -> None:
        call_async = sync_to_async(run_call, thread_sensitive=False)
        calls = [asyncio.create_task(call_async(sleeping(600))) for _ in range(2)]
        await asyncio.to_thread(await_that, lambda: len(waits) == 2 and callers.is_busy())
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(leave())
    await_that(lambda: not callers.taken("mira"))
    # There is one sandbox: what still ran would have to end first.
    assert run_call(CALL).value == 0


def test_a_sandbox_that_was_killed_is_replaced_for_the_next_call(
    callers: Served, pool: Pool
) -> None:
    assert run_call(CALL).verdict is Verdict.PASSED
    assert pool.zygote_pid is not None
    os.kill(pool.zygote_pid, signal.SIGKILL)
    assert run_call(CALL).verdict is Verdict.PASSED


def test_a_pool_rests_once_its_calls_have_ended_and_not_in_between(
    callers: Served, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[float] = []
    monkeypatch.setattr(pool, "rest", lambda: rests.append(time.monotonic()))
    monkeypatch.setattr("runner.calls.server.IDLE_SECONDS", 0.5)
    for _ in range(5):
        assert run_call(CALL).verdict is Verdict.PASSED
    ended = time.monotonic()
    await_that(lambda: bool(rests), what="the pool rests")
    assert len(rests) == 1
    assert rests[0] - ended > 0.25


def test_what_is_lacking_and_what_is_wrong_is_said(callers: Served) -> None:
    unknown = module_row("G", source_hash("G = 1"), ())
    with pytest.raises(SourcesMissing) as lacking:
        run_call(replace(CALL, modules=(unknown, ROW)))
    assert lacking.value.hashes == [unknown[1]]
    run_call(CALL)
    assert run_call(replace(CALL, sources={})).value == 0
    with pytest.raises(Refused):
        run_call(replace(CALL, arguments={"args": [float("inf")]}))
    # A text is known by what it is, not by what somebody calls it.
    with pytest.raises(SourcesMissing):
        run_call(replace(CALL, modules=(unknown, ROW), sources={unknown[1]: "G = 2"}))


def test_stopped_callers_let_what_runs_come_to_its_end(pool: Pool, settings: Settings) -> None:
    outcomes = []
    with serving(pool, room=ROOM, keep=True) as served:
        settings.CALLERS_SOCKET = str(served.path)
        running = threading.Thread(target=lambda: outcomes.append(run_call(sleeping(0.5))))
        running.start()
        await_that(served.is_busy)
    running.join()
    assert [outcome.value for outcome in outcomes] == [0.5]
    with pytest.raises(CallServerUnavailable):
        run_call(CALL)


def test_calls_share_a_connection_which_outlives_no_callers(
    pool: Pool, settings: Settings, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "callers"
        settings.CALLERS_SOCKET = str(path)
        used = []
        for _ in range(2):
            with serving(pool, room=ROOM, keep=True, at=path):
                for _ in range(2):
                    assert run_call(CALL).value == 0
                    (idle,) = lines._idle[str(path)]
                    used.append(idle)
            path.unlink()
    assert used[0] is used[1] is not used[2] is used[3]


def test_callers_that_come_later_take_the_socket_over() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "callers"
        with listen(path), listen(path) as later, socket.socket(socket.AF_UNIX) as client:
            assert path.stat().st_mode & 0o777 == 0o600
            client.connect(str(path))
            later.settimeout(PATIENCE_SECONDS)
            later.accept()[0].close()


def test_sources_are_kept_up_to_a_size() -> None:
    sources = SourceCache(max_bytes=2_500)
    texts = {source_hash(text * 1_000).hex(): text * 1_000 for text in "abc"}
    for sha256, text in texts.items():
        assert sources.find([sha256], {"": text}) == {sha256: text}
    first, *others = texts
    assert set(sources.find(others, {})) == set(others)
    with pytest.raises(SourcesMissing):
        sources.find([first], {})


def programs(*bodies: str, seconds: float = 20) -> ProgramsRequest:
    made = [
        make_program(
            modules=[Module("F", f"def F():\n    pass\n{body}\n")], entry="load", subject="F"
        )
        for body in bodies
    ]
    sources = {sha256.hex(): text for each in made for sha256, text in each.sources.items()}
    forms = [(each.key.hex(), each.text) for each in made]
    return ProgramsRequest("mira", forms, seconds, sources)


def test_programs_are_run_and_what_became_of_each_is_told(callers: Served) -> None:
    assert run_call(CALL).value == 0  # the pool is ready
    passed, failed, long = run_programs(
        programs("print('one')", "1 / 0", "import time\ntime.sleep(9)", seconds=4)
    )
    assert isinstance(passed, Outcome)
    assert isinstance(failed, Outcome)
    assert [line.text for line in passed.log] == ["one"]
    assert (failed.verdict, failed.line) == (Verdict.ERROR, 3)
    assert long is None


def test_a_slow_program_makes_way_for_calls_and_is_run_again(callers: Served) -> None:
    slow = programs("import time\ntime.sleep(1.5)", "print('two')")
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(run_programs, slow)
        await_that(callers.is_busy)
        began = time.monotonic()
        assert run_call(CALL).value == 0
        assert not running.done()
        assert time.monotonic() - began < 1.5
        verdicts = [run.verdict for run in running.result() if isinstance(run, Outcome)]
        assert verdicts == [Verdict.PASSED] * 2


def test_programs_have_few_places_and_those_of_others_have_their_turn(callers: Served) -> None:
    room = callers.callers._limits.programs_per_owner
    slow = programs(*["import time\ntime.sleep(0.2)"] * 6)
    with ThreadPoolExecutor(room + 1) as threads:
        running = [threads.submit(run_programs, slow) for _ in range(room)]
        await_that(lambda: callers.callers._places_for_programs.taken("mira") == room)
        with pytest.raises(Busy) as own:
            run_programs(slow)
        (other,) = run_programs(replace(programs("x = 1"), owner="otto"))
        assert isinstance(other, Outcome)
        assert not any(each.done() for each in running)
    assert own.value.own


def test_long_logs_are_cut_together(callers: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runner.calls.program_frames.MAX_LOG_CHARACTERS", 300)
    runs = run_programs(programs(*[f"for _ in range(4): print('line {n}')" for n in range(3)]))
    lines = [len(run.log) for run in runs if isinstance(run, Outcome)]
    assert lines[0] == 4
    assert lines[2] == 0
    assert [run.truncated for run in runs if isinstance(run, Outcome)] == [False, True, True]


def test_what_is_not_saved_is_not_kept_in_memory_either(callers: Served) -> None:
    request = programs("secret = 1")
    unsaved = replace(request, sources={}, unsaved=request.sources)
    for _ in range(2):
        (run,) = run_programs(unsaved)
        assert isinstance(run, Outcome)
        with pytest.raises(SourcesMissing):
            run_programs(replace(request, sources={}))
