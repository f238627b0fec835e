"""Makes the database that every process of tests copies: once, and beside the collecting."""

import fcntl
import gc
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import django
import psycopg
from django.core.management import call_command
from django.db import connection
from psycopg import sql

from socialcode.embedded.children import start_child

NAME = "template_of_tests"
UNFINISHED = f"unfinished_{NAME}"
ROOT = Path(__file__).resolve().parents[2]
LOCK, LOG = "template.lock", "template.log"


def begin(folder: Path) -> subprocess.Popen[bytes]:
    """Start a process that makes it, and as long holds a lock on a file in this folder."""
    with (folder / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return start_child(
            [sys.executable, "-m", __name__],
            log=folder / LOG,
            folder=ROOT,
            pass_fds=(lock.fileno(),),
        )


def await_template(folder: Path) -> str:
    """Return the name of the database, once it is there."""
    with (folder / LOCK).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
    with psycopg.connect(_address("postgres")) as administrator:
        found = administrator.execute("select from pg_database where datname = %s", [NAME])
        if found.fetchone() is None:
            raise RuntimeError(f"the tables could not be made:\n{(folder / LOG).read_text()}")
    return NAME


def _address(database: str) -> str:
    """Return the address of another database of the same server."""
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}"))


def _make() -> None:
    gc.disable()  # states of all migrations are made, and little of that is garbage
    name, unfinished = sql.Identifier(NAME), sql.Identifier(UNFINISHED)
    with psycopg.connect(_address("postgres"), autocommit=True) as administrator:
        for left in (name, unfinished):
            administrator.execute(sql.SQL("drop database if exists {}").format(left))
        administrator.execute(sql.SQL("create database {}").format(unfinished))
        os.environ["DATABASE_URL"] = _address(UNFINISHED)
        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        connection.close()
        # Who finds it by its name finds it whole.
        renaming = sql.SQL("alter database {} rename to {}")
        administrator.execute(renaming.format(unfinished, name))


if __name__ == "__main__":
    _make()
