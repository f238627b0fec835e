"""What keeps processes from starting, each with its cure."""

import logging
import os
import time
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from runner.operations.preconditions import Unfit, check_preconditions
from socialcode.web import listen
from tests.socialcode.test_settings import ended
from tests.support.site import url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)

COMMANDS = {
    "web": ("-m", "socialcode.web"),
    "worker": ("manage.py", "worker"),
    "callers": ("manage.py", "callers"),
}


def refusal() -> str:
    with pytest.raises(Unfit) as refused:
        check_preconditions()
    return str(refused.value)


def test_a_site_that_is_set_up_starts() -> None:
    check_preconditions()


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_starts_without_a_secret_key_in_production(command: str, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DATABASE_URL": url_of_test_database(),
        "SOCIALCODE_VAR": str(tmp_path),
    }
    del environment["SECRET_KEY"]
    with listen("127.0.0.1", 0) as listener:
        more = ("--fd", str(listener.fileno())) if command == "web" else ()
        run = ended(
            *COMMANDS[command], *more, environment=environment, pass_fds=(listener.fileno(),)
        )
    assert run.returncode == 1
    assert "SECRET_KEY is not set" in run.stderr
    assert "secrets.token_urlsafe(64)" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_pending_migration_is_named_with_the_command_that_applies_it() -> None:
    recorder = MigrationRecorder(connection)
    (last,) = [one for one in MigrationLoader(None).graph.leaf_nodes() if one[0] == "runner"]
    recorder.record_unapplied(*last)
    try:
        said = refusal()
    finally:
        recorder.record_applied(*last)
    assert "Migrations of runner are pending. Run `manage.py migrate`" in said


@pytest.mark.parametrize(
    ("seconds", "said"), [(3600.0, "ahead of"), (-45.0, "behind"), (10.0, None), (0.0, None)]
)
def test_a_clock_that_is_far_off_is_refused_and_one_that_is_near_is_warned_of(
    seconds: float,
    said: str | None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    true_time = time.time
    monkeypatch.setattr(time, "time", lambda: true_time() + seconds)
    if said:
        assert f"{abs(seconds):.0f} s {said} that of PostgreSQL" in refusal()
        return
    with caplog.at_level(logging.WARNING):
        check_preconditions()
    assert ("time service" in caplog.text) is (seconds > 0)


def test_too_few_connections_for_all_processes_are_refused(settings: LazySettings) -> None:
    settings.WEB_PROCESSES, settings.WORKERS = 15, 16
    said = refusal()
    assert "and 315 are needed: 10 for each of 15 web servers and 16 workers" in said
    assert "max_connections" in said


def test_the_limit_of_the_database_counts_as_well() -> None:
    with connection.cursor() as cursor:
        name = connection.ops.quote_name(connection.settings_dict["NAME"])
        cursor.execute(f"alter database {name} connection limit 12")
        try:
            assert "PostgreSQL allows 12 connections" in refusal()
        finally:
            connection.cursor().execute(f"alter database {name} connection limit -1")


def test_a_database_that_is_away_is_waited_for(
    settings: LazySettings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    check_preconditions()
    assert "PostgreSQL doesn't answer" in caplog.text
    settings.HAS_OWN_SECRET_KEY = True
    assert "SECRET_KEY" in refusal()
