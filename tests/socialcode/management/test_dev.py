"""The command that runs the site: it starts, recovers, says what is wrong and leaves nothing."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from socialcode.web import listen
from tests.patience import PATIENCE_SECONDS
from tests.runner.workers.test_processes import WITHOUT_SECCOMP
from tests.support.site import url_of_test_database

ROOT = Path(__file__).resolve().parents[3]
# A start that hangs is ended, so that the test can say what it said.
LONGEST_RUN_SECONDS = 4 * PATIENCE_SECONDS
# They share a folder, and so a process of tests.
whole = pytest.mark.xdist_group("tests/socialcode/management/test_dev")


class Run:
    """One start of the site, in a folder of its own."""

    def __init__(self, folder: Path, port: int, *, by_make: bool = False) -> None:
        self.port = port
        directly = [sys.executable, "manage.py", "dev", "--without-samples", "--port", str(port)]
        make = ["make", "--no-print-directory", "run", f"PORT={port}", "ARGS=--without-samples"]
        self.process = subprocess.Popen(
            make if by_make else directly,
            cwd=ROOT,
            env=environment(folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._watchdog = threading.Timer(LONGEST_RUN_SECONDS, self.process.kill)
        self._watchdog.start()

    def read_until(self, words: str) -> str:
        """Read what the command says up to the line that has these words."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if words in line:
                return line
        pytest.fail(f"it never said {words!r}, but:\n{''.join(self.lines)}")

    def fetch(self) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=10) as answer:
            return int(answer.status)

    def end(self) -> None:
        self._watchdog.cancel()
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def environment(folder: Path) -> dict[str, str]:
    """Return what a person's shell would hold, and not what the tests stand on."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SOCIALCODE_", "DATABASE_", "REDIS_", "PYTEST_", "MAKE", "MFLAGS"))
    }
    ours = {"SOCIALCODE_VAR": str(folder), "SOCIALCODE_WORKERS": "1"}
    return {**kept, **ours, "SOCIALCODE_DEVELOPMENT": "1"}


def free_port() -> int:
    with listen("127.0.0.1", 0) as listener:
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def site(folder: Path, port: int, *, by_make: bool = False) -> Iterator[Run]:
    run = Run(folder, port, by_make=by_make)
    try:
        yield run
    finally:
        run.end()


def identity_of(pid: int) -> tuple[int, str, str] | None:
    """Return a process's parent, its instant of start (numbers are given away again), its state."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rsplit(")", 1)[1].split()
    except OSError:
        return None
    return int(fields[1]), fields[19], fields[0]


def descendants_of(pid: int) -> dict[int, str]:
    """List all processes below this one with the instant of their start."""
    known: dict[int, tuple[int, str, str]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        identity = identity_of(int(entry.name))
        if identity is not None:
            known[int(entry.name)] = identity
    found: dict[int, str] = {}
    new = {pid}
    while new:
        new = {child for child, (parent, _, _) in known.items() if parent in new} - set(found)
        found.update({child: known[child][1] for child in new})
    return found


def command_of(pid: int) -> str:
    """Return the words of a process's command; nothing of one that has ended."""
    try:
        return (
            Path(f"/proc/{pid}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode("utf-8", "replace")
        )
    except OSError:
        return ""


def still_running(processes: dict[int, str]) -> list[str]:
    left = []
    for pid, started in processes.items():
        identity = identity_of(pid)
        if identity is not None and identity[1] == started and identity[2] not in "ZX":
            left.append(f"{pid}: {command_of(pid)}")
    return left


def left_in_the_end(processes: dict[int, str]) -> list[str]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (left := still_running(processes)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for those who start the site whole: only the first has tables to make."""
    return tmp_path_factory.mktemp("whole")


@whole
def test_the_site_comes_up_leaves_nothing_when_killed_recovers_and_stops_in_order(
    folder: Path,
) -> None:
    port = free_port()
    version = folder / "postgres" / "PG_VERSION"
    made: list[tuple[int, int]] = []
    for by_make, ends_by in (
        (True, signal.SIGKILL),
        (False, signal.SIGKILL),
        (False, signal.SIGINT),
    ):
        with site(folder, port, by_make=by_make) as run:
            line = run.read_until("ready")
            assert f"http://127.0.0.1:{port}/" in line
            assert "demo / demo" in line
            assert run.fetch() == 200
            made.append((version.stat().st_ino, version.stat().st_mtime_ns))
            started = descendants_of(run.process.pid)
            assert len(started) >= 5
            run.process.send_signal(ends_by)
            if ends_by == signal.SIGINT:
                run.read_until("Stopped")
                assert run.process.wait(PATIENCE_SECONDS) == 0
                assert still_running(started) == []
            run.process.wait()
            assert left_in_the_end(started) == []
    assert len(set(made)) == 1  # what the first has made is used again


@whole
def test_a_worker_that_dies_is_started_again_and_a_database_that_ends_stops_the_site_with_a_word(
    folder: Path,
) -> None:
    with site(folder, free_port()) as run:
        run.read_until("ready")
        started = descendants_of(run.process.pid)
        workers = [pid for pid in started if "manage.py worker" in command_of(pid)]
        os.kill(min(workers), signal.SIGKILL)
        said = run.read_until("ended")
        assert "worker" in said
        run.read_until("restarts in")
        started = descendants_of(run.process.pid)
        server = int((folder / "postgres/postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(server, signal.SIGKILL)
        said = run.read_until("ended, so the site was stopped")
        assert "PostgreSQL" in said
        assert run.process.wait(PATIENCE_SECONDS) == 1
        assert left_in_the_end(started) == []


def test_a_site_where_no_program_can_run_is_never_ready_and_says_what_to_do(tmp_path: Path) -> None:
    words = [sys.executable, "manage.py", "dev", "--without-samples", "--port", str(free_port())]
    run = subprocess.run(
        [sys.executable, "-c", f"{WITHOUT_SECCOMP}\nos.execv({sys.executable!r}, {words!r})"],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN_SECONDS,
        check=False,
    )
    assert run.returncode == 1
    assert "ready" not in run.stdout
    assert "Programs can't be run on this machine" in run.stderr
    assert "seccomp" in run.stderr
    assert "sandbox_status" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_second_start_from_the_same_folder_says_that_it_runs_already(tmp_path: Path) -> None:
    with site(tmp_path, free_port()) as first:
        first.read_until("Starting PostgreSQL")
        with site(tmp_path, free_port()) as second:
            said = second.read_until("already runs")
            assert f"process {first.process.pid}" in said
            assert second.process.wait(PATIENCE_SECONDS) == 1


def test_a_taken_port_is_named_with_another_to_take(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0) as taken, site(tmp_path, taken.getsockname()[1]) as run:
        said = run.read_until("is in use")
        assert str(run.port) in said
        assert f"PORT={run.port + 1}" in said
        assert run.process.wait(PATIENCE_SECONDS) == 1
    assert not (tmp_path / "postgres").exists()


@pytest.mark.parametrize(
    ("command", "port"),
    [
        (("manage.py", "dev"), "abc"),
        (("manage.py", "dev"), "65536"),
        (("-m", "socialcode.web"), "0"),
    ],
)
def test_what_is_no_port_is_said_in_a_sentence(
    command: tuple[str, str], port: str, tmp_path: Path
) -> None:
    run = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**environment(tmp_path), "PORT": port},
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN_SECONDS,
        check=False,
    )
    assert run.returncode == 2
    assert f"{port!a} is not a port. Choose a number from 1 to 65535" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a disk that small")
@pytest.mark.parametrize("size", ["8m", "34m"], ids=["for the files", "for the database"])
def test_a_full_disk_is_said_to_be_full(size: str, tmp_path: Path) -> None:
    disk = tmp_path / "small"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("this machine refuses to mount")
    try:
        with site(disk, free_port()) as run:
            said = run.read_until("is full")
            assert "SOCIALCODE_VAR" in said
            assert run.process.wait(PATIENCE_SECONDS) == 1
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.usefixtures("transactional_db")
def test_a_demo_account_exists_in_development_only(tmp_path: Path) -> None:
    production = {
        **environment(tmp_path),
        "DATABASE_URL": url_of_test_database(),
        "REDIS_URL": os.environ["REDIS_URL"],
        "SOCIALCODE_DEVELOPMENT": "0",
        "SOCIALCODE_SECURE": "0",
        "SOCIALCODE_COLLECTED_STATIC": "0",
    }
    process = subprocess.Popen(
        [sys.executable, "manage.py", "dev", "--without-samples", "--port", str(free_port())],
        cwd=ROOT,
        env=production,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if "ready" in line)
            assert "demo" not in line
            assert not User.objects.exists()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE_SECONDS)


def test_a_closed_listener_leaves_its_port_free() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
    with listen("127.0.0.1", port) as second:
        assert second.getsockname()[1] == port
        assert second.family == socket.AF_INET
