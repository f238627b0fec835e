"""A pooler between the site and PostgreSQL is refused, because limits of sessions don't pass it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from socialcode.embedded.children import start_child, unprivileged_identity
from socialcode.web import listen
from tests.patience import await_that
from tests.socialcode.test_settings import ended
from tests.support.site import url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=[("transaction", ""), ("transaction", "options"), ("session", "options")])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Start PgBouncer in a mode, ignoring what it would refuse; return the address through it."""
    pgbouncer = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if pgbouncer is None:
        pytest.skip("pgbouncer is not installed, so it is not tried")
    mode, ignored = request.param
    parts = urlsplit(url_of_test_database())
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    user, name = parts.username, parts.path[1:]
    (tmp_path / "users").write_text(f'"{user}" ""\n')
    (tmp_path / "pgbouncer.ini").write_text(
        f"[databases]\n{name} = host={parse_qs(parts.query)['host'][0]} user={user}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\nauth_file = {tmp_path}/users\npool_mode = {mode}\n"
        + (f"ignore_startup_parameters = {ignored}\n" if ignored else "")
    )
    identity = unprivileged_identity()  # it refuses to be root
    child = start_child([pgbouncer, tmp_path / "pgbouncer.ini"], identity=identity)
    yield f"postgresql://{user}@127.0.0.1:{port}/{name}"
    child.terminate()
    child.wait()


def answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def test_a_worker_refuses_to_start_behind_a_pooler_and_says_what_to_do(url: str) -> None:
    await_that(lambda: answers(url))
    environment = {**os.environ, "DATABASE_URL": url, "SOCIALCODE_DATABASE_POOL": "1"}
    run = ended("manage.py", "worker", environment=environment)
    assert run.returncode == 1
    assert "DATABASE_URL leads to a pooler" in run.stderr
    assert "Point it at PostgreSQL itself" in run.stderr
