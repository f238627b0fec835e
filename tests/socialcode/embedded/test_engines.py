"""Private engines: private, alone in their folder, and gone with whoever started them."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from socialcode.embedded import children, launcher
from socialcode.embedded.engines import Engines
from socialcode.embedded.failures import AlreadyRunning, EngineFailed
from socialcode.embedded.places import LONGEST_SOCKET_FOLDER, Places
from tests.patience import PATIENCE_SECONDS

STARTER = textwrap.dedent("""
    import sys, time
    from pathlib import Path
    from socialcode.embedded.engines import Engines

    held = Engines(Path(sys.argv[1]), durable=False).start()
    print("started", flush=True)
    time.sleep(600)
""")


def processes_in(folder: Path) -> list[str]:
    """List what runs with its working folder in there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").resolve().is_relative_to(folder):
                words = (process / "cmdline").read_bytes().split(b"\0")
                if words != [b""]:
                    found.append(f"{process.name} {b' '.join(words).decode(errors='replace')}")
    return found


def wait_until_empty(folder: Path) -> list[str]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (left := processes_in(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def answers(places: Places) -> bool:
    with psycopg.connect(places.database_url, connect_timeout=5) as connection:
        said = connection.execute("SELECT 1").fetchone()
    with redis.Redis.from_url(places.redis_url) as client:
        return said == (1,) and bool(client.ping())


@contextlib.contextmanager
def started_elsewhere(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start engines from a process of their own."""
    with subprocess.Popen(
        [sys.executable, "-c", STARTER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as starter:
        try:
            assert starter.stdout is not None
            assert starter.stdout.readline() == "started\n"
            yield starter
        finally:
            starter.kill()


def test_a_folder_has_one_owner_and_its_engines_end_with_him_and_start_again_with_another(
    tmp_path: Path,
) -> None:
    with started_elsewhere(tmp_path) as starter:
        with pytest.raises(AlreadyRunning, match=f"as process {starter.pid}"):
            Engines(tmp_path, durable=False).start()
        assert len(processes_in(tmp_path)) > 2
        starter.send_signal(signal.SIGKILL)
        starter.wait()
        with Engines(tmp_path, durable=False) as engines:
            assert answers(engines.places)
    assert wait_until_empty(tmp_path) == []


def test_a_cluster_left_half_made_is_made_anew(tmp_path: Path) -> None:
    half = Places(tmp_path).postgres_folder / "base" / "1"
    half.mkdir(parents=True)
    (half / "1234").write_text("left over")
    half.parent.parent.chmod(0o700)
    with Engines(tmp_path, durable=False) as engines:
        assert answers(engines.places)


def test_when_one_engine_fails_the_other_is_stopped_and_the_reason_told(tmp_path: Path) -> None:
    (tmp_path / "valkey").mkdir()
    (tmp_path / "valkey" / "appendonlydir").write_text("not a folder")
    with pytest.raises(EngineFailed, match="Valkey did not start"):
        Engines(tmp_path).start()
    assert processes_in(tmp_path) == []


def test_engines_keep_what_was_written_and_forget_a_dead_server_whose_number_was_given_away(
    tmp_path: Path,
) -> None:
    with Engines(tmp_path) as engines:
        with psycopg.connect(engines.places.database_url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        with redis.Redis.from_url(engines.places.redis_url) as client:
            client.set("kept", "42")
        lock = engines.places.postgres_folder / "postmaster.pid"
        locked = lock.read_text()
    lock.write_text("\n".join([str(os.getpid()), *locked.split("\n")[1:]]))
    with Engines(tmp_path) as engines:
        with psycopg.connect(engines.places.database_url) as connection:
            assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
        with redis.Redis.from_url(engines.places.redis_url) as client:
            assert client.get("kept") == b"42"


def test_a_deep_folder_gets_short_private_sockets(tmp_path: Path) -> None:
    deep = tmp_path / ("long-name-" * 12)
    with Engines(deep, durable=False) as engines:
        sockets = engines.places.sockets
        assert len(str(sockets)) <= LONGEST_SOCKET_FOLDER
        assert sockets.stat().st_mode & 0o077 == 0
        assert answers(engines.places)
    sockets.rmdir()


def test_only_what_is_asked_for_is_started(tmp_path: Path) -> None:
    with Engines(tmp_path, durable=False, postgres=False) as engines:
        assert not engines.places.postgres_folder.exists()
        assert engines.places.valkey_socket.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has an identity to give up")
def test_where_namespaces_are_refused_postgresql_runs_as_nobody_and_ends_with_its_starter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "unprivileged_identity", lambda: launcher.NOBODY)
    with Engines(tmp_path, durable=False) as engines:
        owner = engines.places.postgres_folder.stat().st_uid
        assert owner != 0
        assert answers(engines.places)
    monkeypatch.undo()
    with Engines(tmp_path, durable=False) as engines:
        assert answers(engines.places)


@pytest.mark.parametrize("identity", [launcher.AS_IS, launcher.USER_NAMESPACE, launcher.NOBODY])
def test_a_child_of_each_identity_ends_with_a_killed_starter(identity: str, tmp_path: Path) -> None:
    probe = children.command_line(["/bin/true"], death_signal=signal.SIGKILL, identity=identity)
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        pytest.skip(f"this machine refuses: {identity}")
    source = (
        "import sys, time\nfrom pathlib import Path\nfrom socialcode.embedded import children\n"
        "children.start_child(['/bin/sleep', '600'], identity=sys.argv[1],"
        " folder=Path(sys.argv[2]))\nprint('started', flush=True)\ntime.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", source, identity, str(tmp_path)], stdout=subprocess.PIPE
    ) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"started\n"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not any("sleep 600" in line for line in processes_in(tmp_path)):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        starter.kill()
    assert wait_until_empty(tmp_path) == []


def test_a_child_whose_starter_is_already_gone_does_not_run(tmp_path: Path) -> None:
    command = children.command_line(
        ["/bin/touch", tmp_path / "ran"], death_signal=signal.SIGKILL, identity=launcher.AS_IS
    )
    another_parent = [*command[:4], "1", *command[5:]]
    ended = subprocess.run(another_parent, capture_output=True, check=False)
    assert ended.returncode != 0
    assert not (tmp_path / "ran").exists()
