"""Dumps the database into an archive of `pg_dump`, and restores one in a single transaction."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.db import connection

from socialcode.embedded.binaries import postgres_folder

# Parameters of a connection that the programs of PostgreSQL take from the environment.
PARAMETERS = {
    **{name: f"PG{name.upper()}" for name in ("host", "port", "user", "password")},
    **{name: f"PG{name.upper()}" for name in ("sslmode", "sslrootcert", "sslcert", "sslkey")},
    "dbname": "PGDATABASE",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
}
MAIN_TABLE = "functions_function"
EMPTY_SCHEMA = "drop schema public cascade; create schema public;\n"
PIECE_BYTES = 1 << 20


class BackupFailed(CommandError):
    """A backup could not be made or restored; the message says why, and what to do."""


def dump(file: Path) -> None:
    """Write the database, as of one moment, to this file; it is there whole or not at all."""
    part = file.with_name(f"{file.name}.part")
    try:
        _run(["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={part}"])
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def restore(file: Path, *, replace: bool) -> None:
    """Restore this archive, or leave the database as it is.

    A database that has tables is only overwritten with `replace`, and none that is in use.
    """
    if others := _other_clients():
        raise BackupFailed(f"{others} other clients use the database. Stop all processes first.")
    if _has_tables() and not replace:
        raise BackupFailed("The database isn't empty. Use --replace to overwrite all that it has.")
    _run(["pg_restore", "--list", str(file)])  # whether it is an archive
    connection.close()
    script = ["pg_restore", "--no-owner", "--no-privileges", "--file=-", str(file)]
    with subprocess.Popen(
        _command(script), env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as reading:
        _execute(reading)


def _execute(reading: "subprocess.Popen[bytes]") -> None:
    """Execute the script that a process writes, in a transaction that ends only when it has."""
    command = _command(
        ["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
    )
    with subprocess.Popen(
        command, env=_environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as psql:
        assert psql.stdin and reading.stdout and reading.stderr and psql.stderr  # noqa: S101, PT018
        try:
            psql.stdin.write(f"begin;\n{EMPTY_SCHEMA}".encode())
            while piece := reading.stdout.read(PIECE_BYTES):
                psql.stdin.write(piece)
            complaint = reading.stderr.read()
            if reading.wait() == 0:
                psql.stdin.write(b"\ncommit;\n")
            psql.stdin.close()
        except BrokenPipeError:
            reading.kill()
            complaint = b""
        complaint += psql.stderr.read()
    if reading.wait() or psql.returncode:
        raise BackupFailed(
            f"Nothing was restored; the database is as it was. {complaint.decode()[-1000:].strip()}"
        )


def _run(command: list[str]) -> None:
    ended = subprocess.run(
        _command(command), env=_environment(), capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise BackupFailed(f"{command[0]} failed. {ended.stderr.strip()[-1000:]}")


def _command(words: list[str]) -> list[str]:
    program = postgres_folder() / words[0]
    return [str(program) if program.exists() else words[0], *words[1:]]


def _environment() -> dict[str, str]:
    """Return the environment for programs of PostgreSQL, with the database's address."""
    parameters: Mapping[str, Any] = connection.get_connection_params()
    given = {name: parameters.get(key) for key, name in PARAMETERS.items()}
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
    return inherited | {name: str(value) for name, value in given.items() if value}


def _other_clients() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "select count(*) from pg_stat_activity where datname = current_database()"
            " and backend_type = 'client backend' and pid <> pg_backend_pid()"
        )
        count: int = cursor.fetchone()[0]
    return count


def _has_tables() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("select to_regclass(%s) is not null", [MAIN_TABLE])
        return bool(cursor.fetchone()[0])
