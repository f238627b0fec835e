"""Connections that a pool lends: whether they are alive is asked now and then."""

from datetime import UTC, datetime

import psycopg
import pytest
from django.db import connection
from psycopg.pq import Format

from socialcode.database import base
from socialcode.database.instants import InstantLoader
from tests.site import url_of_test_database

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
        assert cursor.connection.adapters.get_loader(kind, Format.TEXT) is InstantLoader
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
