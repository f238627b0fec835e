"""Processes that end are started again, each time a little later."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from socialcode.server import supervisor as supervision
from socialcode.server.supervisor import Supervisor
from tests.patience import PATIENCE_SECONDS


@pytest.fixture
def supervised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Supervisor, list[str]]]:
    monkeypatch.setattr(supervision, "SHORTEST_DELAY_SECONDS", 0.05)
    monkeypatch.setattr(supervision, "POLL_SECONDS", 0.01)
    said: list[str] = []
    supervisor = Supervisor(tmp_path, tmp_path / "logs", said.append)
    before = signal.getsignal(signal.SIGINT)
    yield supervisor, said
    supervisor.stop()
    signal.signal(signal.SIGINT, before)


def test_what_ends_is_started_again_later_each_time_until_an_engine_ends(
    supervised: tuple[Supervisor, list[str]], tmp_path: Path
) -> None:
    supervisor, said = supervised
    starts = tmp_path / "starts"
    source = f"open({str(starts)!r}, 'a').write('x'); print('out of work'); raise SystemExit(3)"
    supervisor.add("worker 1", "-c", source)
    supervisor.parts[0].delay_seconds = 0.05

    def fails_after_three_starts() -> str | None:
        return "PostgreSQL" if starts.exists() and len(starts.read_text()) >= 3 else None

    assert supervisor.watch(fails_after_three_starts) == "PostgreSQL"
    assert len(said) == 2
    assert "worker 1 ended (code 3); its last words: out of work" in said[0]
    assert supervisor.parts[0].delay_seconds == pytest.approx(0.2)


def test_stopping_ends_even_what_does_not_listen(
    supervised: tuple[Supervisor, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor, _ = supervised
    monkeypatch.setattr(supervision, "STOP_TIMEOUT_SECONDS", 0.3)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    supervisor.add("worker 1", "-c", f"{deaf} print('deaf', flush=True); time.sleep(600)")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "deaf" not in supervisor.parts[0].log.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    supervisor.stop()
    assert not supervisor.parts[0].is_running()


def test_the_log_of_the_last_run_is_kept_beside_the_new_one(
    supervised: tuple[Supervisor, list[str]], tmp_path: Path
) -> None:
    supervisor, _ = supervised
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/web-server.log").write_text("before")
    supervisor.add("web server", "-c", "pass")
    child = supervisor.parts[0].child
    assert child is not None
    child.wait()
    assert (tmp_path / "logs/web-server.last.log").read_text() == "before"
    assert (tmp_path / "logs/web-server.log").read_text() == ""
