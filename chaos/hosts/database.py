"""PostgreSQL on two hosts: a primary, and a synchronous standby by streaming replication."""

import contextlib
import os
import secrets
import time
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg import conninfo

from chaos.hosts.namespaces import Host
from socialcode.embedded import binaries
from socialcode.embedded.postgres import LOCALE

USER, DATABASE = "postgres", "socialcode"
START_SECONDS = 120.0
SETTINGS = ("max_connections=200", "shared_buffers=128MB", "jit=off")
# Other hosts are asked for a password.
ACCESS = "host all all samenet scram-sha-256\nhost replication all samenet scram-sha-256\n"


class DatabaseHosts:
    """The servers of both hosts; `primary` and `standby` change places when they fail over."""

    def __init__(self, primary: Host, standby: Host) -> None:
        self.primary, self.standby = primary, standby
        self.fallen: Host | None = None  # a former primary that has not been replaced
        self._password = secrets.token_urlsafe()
        self._addresses = f"{primary.address}:5432,{standby.address}:5432"

    @property
    def url(self) -> str:
        return f"postgresql://{USER}:{self._password}@{self._addresses}/{DATABASE}"

    def start(self) -> None:
        """Create the database and its standby."""
        _create_cluster(self.primary, self._password)
        self._start_server(self.primary)
        _execute(self.primary, "create database socialcode")
        self.add_standby(self.standby)

    def add_standby(self, host: Host) -> None:
        """Copy the primary to this host; from then on, commits wait for it."""
        self.standby, self.fallen = host, None
        host.run(
            [
                *(binaries.postgres_folder() / "pg_basebackup", "--pgdata", _data(host)),
                *("--host", self.primary.address, "--username", USER),
                *("--write-recovery-conf", "--checkpoint", "fast", "--no-sync"),
            ],
            {**_environment(), "PGPASSWORD": self._password},
        )
        self._start_server(host)
        _execute(self.primary, "alter system set synchronous_standby_names = '*'")
        _execute(self.primary, "select pg_reload_conf()")
        _await_rows(self.primary, "select 1 from pg_stat_replication where sync_state = 'sync'")

    def fail_over(self) -> None:
        """Kill the primary's host, and promote the standby; commits then wait for nobody."""
        self.primary.kill()
        _execute(self.standby, "select pg_promote()")
        self.primary, self.fallen = self.standby, self.primary

    def _start_server(self, host: Host) -> None:
        settings = (
            f"listen_addresses={host.address}",
            f"unix_socket_directories={host.folder}",
            *SETTINGS,
        )
        options = [word for setting in settings for word in ("-c", setting)]
        program = binaries.postgres_folder() / "postgres"
        host.start("postgres", [program, "-D", _data(host), *options], _environment())
        _await_rows(host, "select 1")


def _create_cluster(host: Host, password: str) -> None:
    file, folder = host.folder / "password", binaries.postgres_folder()
    file.write_text(password, "ascii")
    options = ("--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={file}", "--no-sync")
    command: list[str | Path] = [folder / "initdb", "-D", _data(host), "-U", USER, "-E", "UTF8"]
    host.run([*command, *options, *LOCALE], _environment())
    with (_data(host) / "pg_hba.conf").open("a") as rules:
        rules.write(ACCESS)


def _data(host: Host) -> Path:
    return host.folder / "data"


def _environment() -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LD_"))}
    return {**inherited, "LC_ALL": "C.UTF-8"}


def _execute(host: Host, statement: LiteralString) -> list[tuple[Any, ...]]:
    """Return the rows of a statement, run at the host itself."""
    address = conninfo.make_conninfo(host=str(host.folder), user=USER, dbname="postgres")
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def _await_rows(host: Host, statement: LiteralString) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(psycopg.OperationalError):
            if _execute(host, statement):
                return
        if time.monotonic() > deadline:
            raise TimeoutError(f"{host.name} did not get ready: {statement}")
        time.sleep(0.05)
