"""A backup is made, restored whole or not at all, and verified elsewhere."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis
from django.core.management import call_command

from functions.models import Function
from socialcode.backups.archive import BackupFailed
from socialcode.embedded.engines import Engines
from socialcode.embedded.places import Places
from tests.support import builders as make
from tests.support.site import ROOT
from tests.support.works import define

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """Another PostgreSQL and Valkey, with an empty database."""
    with Engines(tmp_path_factory.mktemp("elsewhere"), durable=False) as engines:
        yield engines.places


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    define("Kept")
    file = tmp_path / "site.backup"
    call_command("backup", str(file))
    return file


def manage(places: Places, *words: str) -> "subprocess.CompletedProcess[str]":
    address = {"DATABASE_URL": places.database_url, "REDIS_URL": places.redis_url}
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | address, capture_output=True, text=True, check=False
    )


def names(places: Places) -> list[str]:
    with psycopg.connect(places.database_url) as connection:
        rows = connection.execute("select name from functions_function order by name").fetchall()
    return [name for (name,) in rows]


def test_a_backup_is_restored_whole_or_not_at_all(backup: Path, elsewhere: Places) -> None:
    with redis.Redis.from_url(elsewhere.redis_url) as valkey:
        valkey.set("counter", 1)
        done = manage(elsewhere, "restore", str(backup))
        assert done.returncode == 0, done.stderr
        assert valkey.dbsize() == 0
    assert "All topics are in epoch" in done.stdout
    assert names(elsewhere) == ["Kept"]

    refused = manage(elsewhere, "restore", str(backup))
    assert (refused.returncode, "--replace" in refused.stderr) == (1, True)

    broken = backup.with_name("broken.backup")
    broken.write_bytes(backup.read_bytes()[:-2000])
    failed = manage(elsewhere, "restore", str(broken), "--replace")
    assert (failed.returncode, "as it was" in failed.stderr) == (1, True), failed.stderr
    assert names(elsewhere) == ["Kept"]

    with psycopg.connect(elsewhere.database_url):
        used = manage(elsewhere, "restore", str(backup), "--replace")
        assert "Stop all processes" in used.stderr
    assert manage(elsewhere, "restore", str(backup), "--replace").returncode == 0


def test_a_backup_never_overwrites_a_file_and_leaves_no_part(backup: Path) -> None:
    with pytest.raises(BackupFailed, match="is there already"):
        call_command("backup", str(backup))
    assert [*backup.parent.iterdir()] == [backup]


def test_a_backup_is_verified_in_a_postgresql_of_its_own(
    backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("verify_backup", str(backup))
    assert "is consistent" in capsys.readouterr().out
    make.implementation(Function.objects.get())  # a row without all that follows from it
    wrong = backup.with_name("wrong.backup")
    call_command("backup", str(wrong))
    with pytest.raises(BackupFailed, match="verify failed"):
        call_command("verify_backup", str(wrong))
    backup.write_bytes(b"no archive")
    with pytest.raises(BackupFailed, match="restore failed"):
        call_command("verify_backup", str(backup))
