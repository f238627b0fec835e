"""Analyses of source: what one does to its process, and to the others beside it."""

import contextlib
import os
import signal
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from chaos.processes import descendants
from runner.analysis import client
from runner.analysis.client import AnalysisBusy, AnalysisFailed, AnalysisUnavailable, analyse
from runner.analysis.pool import Ended
from runner.analysis.queue import QueueLimits
from runner.programs.text_cache import TextCache
from tests.patience import await_that
from tests.support.analysis_server import Hosted, hosted

ANALYST = "tests.sandbox.analysed:analyst"
TICKS = 10  # of a hundredth of a second each
SMALL = {"code": "def Add(a, b):\n    return a + b\n"}


@pytest.fixture(scope="module")
def host() -> Iterator[Hosted]:
    with hosted(ANALYST) as serving:
        yield serving


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_results", TextCache(1 << 20))
    monkeypatch.setattr(client, "_failures", client._Failures())


@pytest.fixture
def serving(host: Hosted, settings: Settings) -> Hosted:
    settings.ANALYSIS_SOCKET = str(host.path)
    return host


def ask(
    name: str, value: Any = None, *, owner: str = "mira", cpu_s: float = 1, wall_s: float = 60
) -> Any:
    limits = {"cpu_ms": round(cpu_s * 1000), "wall_ms": round(wall_s * 1000)}
    return analyse(name, value, owner=owner, **limits)


@pytest.mark.parametrize(
    ("name", "ended"),
    [
        ("spin", Ended.CPU_LIMIT),
        ("hog", Ended.MEMORY_LIMIT),
        ("crash", Ended.CRASHED),
        ("deep", Ended.TOO_DEEP),
        ("large", Ended.TOO_LARGE),
        ("nonsense", Ended.CRASHED),
        ("bug", Ended.FAILED),
    ],
)
def test_what_goes_wrong_in_an_analysis_is_said_and_the_next_one_is_answered(
    serving: Hosted, name: str, ended: Ended
) -> None:
    with pytest.raises(AnalysisFailed) as unanswered:
        ask(name, cpu_s=10 if name == "crash" else 0.5)
    assert unanswered.value.ended is ended
    assert ask("echo", [name]) == [name]


def test_what_had_to_wait_for_a_processor_is_nothing_that_the_source_is_told(
    serving: Hosted,
) -> None:
    with pytest.raises(AnalysisBusy):
        ask("spin", cpu_s=10, wall_s=0.2)
    assert not client._failures._ended


def test_an_analysis_whose_process_is_killed_is_done_again_and_without_a_zygote_as_well(
    serving: Hosted,
) -> None:
    zygote = serving.pool.zygote_pid
    assert zygote is not None
    with ThreadPoolExecutor(1) as threads:
        for is_child in (True, False):
            asked = threads.submit(ask, "spin", cpu_s=0.7)
            await_that(lambda: _busiest(zygote), what="an analysis computes")
            os.kill(_busiest(zygote) if is_child else zygote, signal.SIGKILL)
            with pytest.raises(AnalysisFailed) as unanswered:
                asked.result()
            assert unanswered.value.ended is Ended.CPU_LIMIT
            client._failures = client._Failures()
    assert serving.pool.zygote_pid not in (None, zygote)
    assert ask("echo", 1) == 1


def _busiest(pid: int) -> int:
    """Return which of its children has computed most; 0: none for a tenth of a second yet."""

    def ticks(child: int) -> int:
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{child}/stat").read_text("ascii").rpartition(")")[2].split()
            return int(words[11]) + int(words[12])
        return 0

    found = max((child.pid for child in descendants(pid)), key=ticks, default=0)
    return found if ticks(found) >= TICKS else 0


def test_what_is_quick_is_hardly_slower_beside_others_that_compute_for_ever(
    serving: Hosted,
) -> None:
    def median_seconds() -> float:
        took = []
        for number in range(15):
            began = time.perf_counter()
            ask("check", {"code": f"x = {number} + {time.perf_counter_ns()}\n"}, owner="otto")
            took.append(time.perf_counter() - began)
        return statistics.median(took)

    quiet = median_seconds()
    with ThreadPoolExecutor(14) as threads:
        hostile = [
            threads.submit(ask, "spin", n, owner=f"hostile {n}", cpu_s=10, wall_s=3)
            for n in range(14)
        ]
        time.sleep(0.5)
        beside = median_seconds()
        for one in hostile:
            with pytest.raises((AnalysisFailed, AnalysisBusy)):
                one.result()
    assert beside < 20 * quiet + 0.05


def test_where_all_places_are_taken_by_what_is_slow_it_gives_way(settings: Settings) -> None:
    room = QueueLimits(slots=2, per_owner=2, waiting=4, waiting_per_owner=1, wait_seconds=10)
    with hosted(ANALYST, room) as serving, ThreadPoolExecutor(4) as threads:
        settings.ANALYSIS_SOCKET = str(serving.path)
        spin = partial(ask, "spin", owner="mallory", cpu_s=3, wall_s=12)
        slow = [threads.submit(spin, n) for n in range(3)]
        await_that(lambda: len(serving.server._slots._taken) == 2)
        await_that(lambda: bool(serving.server._slots._waiting))
        with pytest.raises(AnalysisBusy) as own:
            spin(4)
        assert own.value.own
        assert ask("echo", 1, owner="otto") == 1
        ended = []
        for one in slow:
            with pytest.raises((AnalysisBusy, AnalysisFailed)) as raised:
                one.result()
            ended.append(type(raised.value))
        assert AnalysisBusy in ended


def test_an_answer_is_remembered_and_what_was_too_much_is_for_a_while(
    serving: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask("check", SMALL) == []
    with pytest.raises(AnalysisFailed):
        ask("spin", cpu_s=0.1)
    asked: list[object] = []
    monkeypatch.setattr(client, "_request", asked.append)
    assert ask("check", SMALL) == []
    with pytest.raises(AnalysisFailed):
        ask("spin", cpu_s=0.1)
    assert asked == []


def test_where_nobody_answers_that_is_said_and_later_somebody_does(
    settings: Settings, tmp_path: Path
) -> None:
    settings.ANALYSIS_SOCKET = str(tmp_path / "nobody")
    assert not client.is_analysis_available()
    with pytest.raises(AnalysisUnavailable):
        ask("check", SMALL)
    with hosted(ANALYST) as serving:
        settings.ANALYSIS_SOCKET = str(serving.path)
        assert client.is_analysis_available()
        assert ask("check", SMALL) == []
    with pytest.raises(AnalysisUnavailable):
        ask("echo", "once more")
