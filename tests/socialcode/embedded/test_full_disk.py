"""A disk that fills up below the database: whoever wants to write is told, and then all goes on."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client

from runner.events import sequencer
from runner.models import Attempt, Batch, Result
from runner.states import BatchState
from socialcode.embedded.engines import Engines
from tests.patience import await_that
from tests.runner.workers.test_processes import await_begun, said_in
from tests.support.batches import await_end, program, submit, worker_process

# Its log is more than what a table has room for.
TALKATIVE = """
import random
import time
print('begun')
time.sleep(3)
for _ in range(60):
    print(random.randbytes(450).hex())
"""


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Have a disk of its own below this folder."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("this machine refuses to mount")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@contextmanager
def database_of(engines: Engines) -> Iterator[str]:
    """Have this process use the tables of these engines; returns their address."""
    former = dict(connection.settings_dict)
    connection.close()
    sequencer._scan_starts.clear()
    connection.settings_dict.update(NAME="socialcode", HOST=str(engines.places.sockets))
    try:
        call_command("migrate", verbosity=0)
        yield engines.places.database_url
    finally:
        connection.close()
        sequencer._scan_starts.clear()
        connection.settings_dict.update(former)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Leave no room on the disk."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while file.write(bytes(size)) == size:
                    pass
            except OSError:
                pass
    try:
        yield
    finally:
        ballast.unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a disk that small")
@pytest.mark.django_db(transaction=True)
def test_full_disk_is_said_to_who_writes_and_what_runs_is_recorded_once_there_is_room(
    tmp_path: Path,
) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk), Engines(disk, valkey=False) as engines, database_of(engines) as url:
        User.objects.create_user("mira", password="a-pass-word")
        with worker_process(tmp_path, DATABASE_URL=url):
            running = submit([program(TALKATIVE)])
            await_begun()
            with filled(disk):
                with pytest.raises(OperationalError, match="No space left on device"):
                    submit([program(f"{os.urandom(50_000).hex()!r}")])
                answer = Client(raise_request_exception=False).post(
                    "/accounts/login/", {"username": "mira", "password": "a-pass-word"}
                )
                assert answer.status_code == 503
                assert "Back in a moment" in answer.content.decode()
                await_that(
                    lambda: "writing failed, the database is away" in said_in(tmp_path),
                    what="the worker is told, too",
                )
            for batch in (running, submit([program()])):
                assert await_end(batch).state == BatchState.COMPLETE
        assert Batch.objects.count() == Result.objects.filter(verdict="passed").count() == 2
        assert set(Attempt.objects.values_list("number", "outcome")) == {(1, "recorded")}
