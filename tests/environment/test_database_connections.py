"""Connections that a pool lends: whether they are alive is asked now and then."""

import psycopg
import pytest

from socialcode.database import base
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
