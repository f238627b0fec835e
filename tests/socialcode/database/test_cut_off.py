"""A network to the database that is cut, of which nobody is told."""

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection

from tests.patience import PATIENCE_SECONDS
from tests.runner.workers.test_processes import CUT_OTHERS
from tests.support.site import ROOT, url_of_test_database

# A network that consists of nothing but this command.
ALONE = ["unshare", "--map-root-user", "--net"]


def is_allowed() -> bool:
    """Say whether this machine lets us make networks."""
    return subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not is_allowed(), reason="this machine lets us make no networks")
def test_queries_over_a_network_that_was_cut_end_in_an_error(tmp_path: Path) -> None:
    (host,) = parse_qs(urlsplit(url_of_test_database()).query)["host"]
    target = str(Path(host) / ".s.PGSQL.5432")
    words = ["-m", "tests.support.cut_network", target, connection.settings_dict["NAME"]]
    ended = subprocess.run(
        [*ALONE, sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "SOCIALCODE_VAR": str(tmp_path)},
        capture_output=True,
        timeout=2 * PATIENCE_SECONDS,
        check=False,
    )
    with connection.cursor() as cursor:
        cursor.execute(CUT_OTHERS)  # at its end of the network, the database is told by nobody
    assert ended.returncode == 0, ended.stderr.decode()
    seconds = json.loads(ended.stdout)
    assert seconds.keys() == {"sent", "awaited"}
    assert all(1 < waited < PATIENCE_SECONDS for waited in seconds.values()), seconds
