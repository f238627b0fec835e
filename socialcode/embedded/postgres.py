"""Starts a private PostgreSQL that listens on a Unix socket only."""

import os
import signal
import subprocess
import time
from pathlib import Path

import psycopg
from psycopg import conninfo, sql

from socialcode.embedded import binaries, children
from socialcode.embedded.failures import EngineFailed, disk_full_message, disk_is_full
from socialcode.embedded.places import Places

# SIGINT is PostgreSQL's "fast" shutdown: it ends the sessions and writes a checkpoint.
STOP_SIGNAL = signal.SIGINT
START_TIMEOUT_SECONDS = 30
PREDECESSOR_TIMEOUT_SECONDS = 20
STATUS_LINE = 7  # of postmaster.pid; "ready" once connections are accepted
DATABASE = "socialcode"

# Of `initdb`.
LOCALE = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")
SETTINGS: tuple[str, ...] = ("max_connections=200", "shared_buffers=128MB", "jit=off")
# For tests, whose data needn't survive a power cut. Autovacuum would record tables with uncommitted
# rows as empty, which leads to very slow plans.
FORGETFUL_SETTINGS = (
    *("fsync=off", "synchronous_commit=off", "full_page_writes=off"),
    "autovacuum=off",
)


def start_postgres(places: Places, *, durable: bool) -> subprocess.Popen[bytes]:
    """Create the cluster if needed, start it, and ensure that the database exists."""
    folder = binaries.postgres_folder()
    identity = children.unprivileged_identity()
    places.postgres_folder.mkdir(mode=0o700, exist_ok=True)
    for owned in (places.postgres_folder, places.sockets):
        children.give_to(owned, identity)
    if not (places.postgres_folder / "PG_VERSION").exists():
        _create_cluster(places, folder, identity)
    _await_predecessor(places.postgres_folder)
    child = children.start_child(
        [folder / "postgres", "-D", places.postgres_folder, *_options(places, durable=durable)],
        death_signal=STOP_SIGNAL,
        identity=identity,
        log=places.postgres_log,
        folder=places.root,
        environment=_environment(places),
    )
    try:
        _await_ready(child, places)
        _ensure_database(places)
    except psycopg.Error as error:
        children.stop_child(child, signal.SIGQUIT)
        raise _failure("PostgreSQL did not create the database", places, str(error)) from error
    except BaseException:
        children.stop_child(child, signal.SIGQUIT)
        raise
    return child


def _options(places: Places, *, durable: bool) -> list[str]:
    settings = (
        "listen_addresses=",
        f"unix_socket_directories={places.sockets}",
        "unix_socket_permissions=0700",
        *SETTINGS,
        *(() if durable else FORGETFUL_SETTINGS),
    )
    return [word for setting in settings for word in ("-c", setting)]


def _environment(places: Places) -> dict[str, str]:
    # PGHOST, PGDATA etc. belong to the user's own PostgreSQL.
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LD_"))}
    return {**inherited, "HOME": str(places.root), "LC_ALL": "C.UTF-8"}


def _create_cluster(places: Places, folder: Path, identity: str) -> None:
    """Run `initdb`, after removing an incomplete cluster left by an interrupted start."""
    _empty(places.postgres_folder)
    command: list[str | Path] = [
        *(folder / "initdb", "-D", places.postgres_folder, "-U", "postgres", "-A", "trust"),
        *("-E", "UTF8", "--no-sync", *LOCALE),
    ]
    ended = subprocess.run(
        children.command_line(command, death_signal=signal.SIGKILL, identity=identity),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=_environment(places),
        cwd=places.root,
        check=False,
    )
    if ended.returncode != 0:
        _empty(places.postgres_folder)
        raise _failure("PostgreSQL could not create its files", places, ended.stdout)


def _empty(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()


def _await_predecessor(data: Path) -> None:
    """Wait for the server of a killed command to end; remove its stale lock file.

    The pid in the file may have been reused, so the process's command is checked.
    """
    lock = data / "postmaster.pid"
    deadline = time.monotonic() + PREDECESSOR_TIMEOUT_SECONDS
    while (pid := _locked_by(lock)) and _serves(pid, data):
        if time.monotonic() > deadline:
            raise EngineFailed(
                f"An older PostgreSQL (process {pid}) still uses {data}. End it with"
                f" `kill -INT {pid}` and start again."
            )
        time.sleep(0.05)
    lock.unlink(missing_ok=True)


def _locked_by(lock: Path) -> int | None:
    try:
        return int(lock.read_text(encoding="ascii", errors="replace").split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _serves(pid: int, data: Path) -> bool:
    """Return whether this process is a running server of this folder."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        name = Path(f"/proc/{pid}/comm").read_text(encoding="ascii", errors="replace")
        folder = Path(f"/proc/{pid}/cwd").resolve()
    except OSError:
        return False
    alive = state.rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    return alive and name.startswith("postgres") and folder == data.resolve()


def _await_ready(child: subprocess.Popen[bytes], places: Places) -> None:
    status = places.postgres_folder / "postmaster.pid"
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while True:
        if child.poll() is not None:
            raise _failure("PostgreSQL ended while starting", places, _tail(places.postgres_log))
        if _says_ready(status):
            return
        if time.monotonic() > deadline:
            raise _failure("PostgreSQL did not become ready", places, _tail(places.postgres_log))
        time.sleep(0.02)


def _says_ready(status: Path) -> bool:
    try:
        lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    except FileNotFoundError:
        return False
    return len(lines) > STATUS_LINE and lines[STATUS_LINE].strip() == "ready"


def _ensure_database(places: Places) -> None:
    address = conninfo.make_conninfo(host=str(places.sockets), user="postgres", dbname="postgres")
    with psycopg.connect(address, autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
        if known.fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))


def _tail(log: Path) -> str:
    try:
        return log.read_text(encoding="utf-8", errors="replace")[-2000:]
    except FileNotFoundError:
        return ""


def _failure(what: str, places: Places, output: str) -> EngineFailed:
    if disk_is_full(places.root, output):
        return EngineFailed(disk_full_message(places.root))
    log = places.postgres_log
    return EngineFailed(f"{what}. Its last output:\n{output.strip()}\nFull log: {log}")
