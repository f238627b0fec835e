"""Connections that a pool lends: whether they are alive is asked now and then."""

import os
import subprocess
import sys
from datetime import UTC, datetime

import psycopg
import pytest
from django.db import connection
from psycopg.pq import Format

from socialcode.database import base
from socialcode.database.base import TimestampLoader
from socialcode.database.configuration import database_from
from socialcode.database.failover import Server, with_server_first
from tests.patience import await_that
from tests.support.site import ROOT, url_of_test_database

ASKED = "select query_start from pg_stat_activity where pid = %s"


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_has_just_answered_is_trusted_until_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = url_of_test_database()
    with psycopg.connect(url, autocommit=True) as other:
        lent = psycopg.connect(url, autocommit=True)
        times = []
        for trust_seconds in (60.0, 60.0, 0.0):
            monkeypatch.setattr(base, "TRUST_SECONDS", trust_seconds)
            base.check(lent)
            times.append(other.execute(ASKED, [lent.info.backend_pid]).fetchone())
        assert times[0] == times[1] != times[2]
        monkeypatch.setattr(base, "TRUST_SECONDS", 60.0)
        other.execute("select pg_terminate_backend(%s, 5000)", [lent.info.backend_pid])
        with pytest.raises(psycopg.OperationalError):
            base.check(lent)
        lent.close()


@pytest.mark.django_db
def test_instants_are_read_in_c_and_are_utc_wherever_the_session_is() -> None:
    with connection.cursor() as cursor:
        kind = psycopg.adapters.types["timestamptz"].oid
        assert cursor.connection.adapters.get_loader(kind, Format.TEXT) is TimestampLoader
        for zone in ("UTC", "Asia/Kathmandu"):
            cursor.execute("select set_config('timezone', %s, true)", [zone])
            cursor.execute(
                "select '2026-03-04 05:06:07.000089+01:30'::timestamptz, null::timestamptz"
            )
            read, nothing = cursor.fetchone()
            assert (read, read.tzinfo, nothing) == (
                datetime(2026, 3, 4, 3, 36, 7, 89, tzinfo=UTC),
                UTC,
                None,
            )


@pytest.mark.parametrize(
    ("host", "port", "last", "expected"),
    [
        ("a", "", ("a", "5432"), ("a", "")),
        ("a,b", "", None, ("a,b", "")),
        ("a,b", "", ("a", "5432"), ("a,b", "")),
        ("a,b,c", "", ("b", "5432"), ("b,a,c", "5432,5432,5432")),
        ("a,b", "7000", ("b", "7000"), ("b,a", "7000,7000")),
        ("a,a", "1,2", ("a", "2"), ("a,a", "2,1")),
        ("a,b", "", ("b", "7000"), ("a,b", "")),
        ("a,b", "", ("former", "5432"), ("a,b", "")),
    ],
)
def test_of_several_servers_the_last_one_is_tried_first(
    host: str, port: str, last: tuple[str, str] | None, expected: tuple[str, str]
) -> None:
    given = {"host": host, "port": port, "dbname": "d"}
    server = None if last is None else Server(*last)
    chosen = with_server_first(given, server)
    assert chosen == {**given, "host": expected[0], "port": expected[1]}


def test_of_several_servers_the_primary_is_looked_for() -> None:
    for address, attributes in (
        ("u:p@a,b:7000/n", "read-write"),
        ("u@/n?host=/a,/b", "read-write"),
        ("u@a,b/n?target_session_attrs=any", "any"),
        ("u@a/n", None),
    ):
        options = database_from(f"postgresql://{address}", session={}, pool_size=0)["OPTIONS"]
        assert options.get("target_session_attrs") == attributes


STATEMENT_SECONDS = "SOCIALCODE_STATEMENT_SECONDS"  # this process may have loaded the pages
SHOWN = """
{start}
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("show statement_timeout")
    print(cursor.fetchone()[0])
"""


@pytest.mark.parametrize(
    ("start", "expected"),
    [("import socialcode.asgi", "30s"), ("import django; django.setup()", "0")],
    ids=["pages", "commands"],
)
def test_queries_of_pages_end_after_a_while_and_those_of_commands_take_what_they_need(
    start: str, expected: str
) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", SHOWN.format(start=start)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != STATEMENT_SECONDS},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.strip() == expected


ASKING = (
    "import psycopg, sys; psycopg.connect(sys.argv[1], options=sys.argv[2]).execute(sys.argv[3])"
)


@pytest.mark.django_db(transaction=True)
def test_a_query_of_one_who_was_killed_is_ended() -> None:
    url, long = url_of_test_database(), "select pg_sleep(60)"
    options = connection.settings_dict["OPTIONS"]["options"]
    assert "client_connection_check_interval=5s" in options
    running = (
        "select count(*) from pg_stat_activity where datname = current_database() and query = %s"
    )
    with psycopg.connect(url, autocommit=True) as other:
        asking = [sys.executable, "-c", ASKING, url, options.replace("=5s", "=100ms"), long]
        with subprocess.Popen(asking) as asker:
            await_that(lambda: other.execute(running, [long]).fetchone() == (1,))
            asker.kill()
        await_that(lambda: other.execute(running, [long]).fetchone() == (0,))
