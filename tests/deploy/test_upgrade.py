"""The previous release is upgraded, and returned to, while people use the site."""

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from functions.maintenance.verification import find_differences
from functions.models import Implementation
from runner.operations.schema import pending_migrations
from socialcode.accounts.tokens import create_token
from socialcode.management.commands import migrate
from tests.deploy.files import ROOT
from tests.deploy.load import Load
from tests.deploy.releases import migrate_back, obstacles, unpack
from tests.deploy.services import Services
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support import works
from tests.support.site import url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)
# Enough for programs of the one release to run on the schema or the rows of the other.
USED_SECONDS = 3


@pytest.fixture
def migrated() -> Iterator[None]:
    """Leave the schema to others as it was."""
    yield
    call_command("migrate", verbosity=0)


def test_the_previous_release_can_use_the_schema_of_this_one() -> None:
    """Expand now; what is no longer used is removed by the release after the next."""
    assert list(obstacles()) == []


@pytest.mark.usefixtures("migrated")
def test_a_migration_gives_way_to_whoever_uses_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "PATIENCE_SECONDS", 0.5)
    with psycopg.connect(url_of_test_database()) as reader:
        reader.execute("select from functions_vote")
        with pytest.raises(CommandError, match="tables were in use"):
            migrate_back()
        reader.execute("select from functions_vote")  # it did not wait for the migration
    migrate_back()
    assert pending_migrations() != []


@pytest.mark.usefixtures("migrated")
def test_a_migration_is_repeated_until_the_table_is_free() -> None:
    with ThreadPoolExecutor(1) as threads, psycopg.connect(url_of_test_database()) as user:
        user.execute("select from functions_vote")
        migrating = threads.submit(in_thread, migrate_back)
        with pytest.raises(TimeoutError):
            migrating.result(timeout=1)
        began = time.monotonic()
        user.execute("select from functions_vote, accounts_usernameskeleton")
        assert time.monotonic() - began < 1  # nobody waits behind it
        user.rollback()
        migrating.result(timeout=4 * PATIENCE_SECONDS)
    assert pending_migrations() != []


@pytest.mark.usefixtures("migrated")
def test_a_migration_is_repeated_whose_foreign_keys_met_a_table_in_use() -> None:
    migrate_back()
    with ThreadPoolExecutor(1) as threads, psycopg.connect(url_of_test_database()) as writer:
        writer.execute("update auth_user set is_staff = is_staff where false")
        migrating = threads.submit(in_thread, lambda: call_command("migrate", verbosity=0))
        with pytest.raises(TimeoutError):
            migrating.result(timeout=3)
        writer.rollback()
        migrating.result(timeout=4 * PATIENCE_SECONDS)
    assert pending_migrations() == []


def in_thread(act: Callable[[], object]) -> None:
    """Call it, and close the connection of its thread."""
    try:
        act()
    finally:
        connection.close()


def await_ready(services: Services) -> None:
    """Wait until the site answers, checks source and runs programs."""
    await_that(lambda: is_ready(services), patience_seconds=3 * PATIENCE_SECONDS)


def is_ready(services: Services) -> bool:
    time.sleep(0.2)
    url = f"http://127.0.0.1:{services.port}/readyz"
    with (
        contextlib.suppress(HTTPError, TimeoutError),
        urlopen(url, timeout=PATIENCE_SECONDS) as answer,
    ):
        return bool(answer.status == HTTPStatus.OK)
    return False


def replace_all(services: Services, old: str, new: str, tree: Path) -> None:
    """Follow docs/operations.md: callers, then web servers between the old and the new workers."""
    sockets = [services.folder / name for name in ("calls", "analyses")]
    former = [socket.stat().st_ino for socket in sockets]
    services.start(f"callers@{new}", tree=tree, waits=False)
    await_that(
        lambda: all(one.stat().st_ino not in former for one in sockets),
        patience_seconds=3 * PATIENCE_SECONDS,
    )
    services.stop(f"callers@{old}")
    services.stop(f"worker@{old}")
    services.start(f"web@{new}", tree=tree, waits=tree == ROOT)
    services.stop(f"web@{old}")
    services.start(f"worker@{new}", tree=tree, waits=False)
    await_ready(services)
    time.sleep(USED_SECONDS)


@pytest.mark.usefixtures("migrated")
def test_an_upgrade_and_the_way_back_fail_no_request_and_lose_no_event_or_run(
    services: Services, https_port: int, tmp_path: Path
) -> None:
    previous = unpack(tmp_path / "previous")
    function = works.define("Add")
    works.publish_test(function, "assert Add(2, 3) == 5\n")
    load = Load(https_port, create_token(user=works.account("ida"))[1], function)
    migrate_back()
    for name in ("callers@1", "web@1", "worker@1"):
        services.start(name, tree=previous, waits=False)
    await_ready(services)
    load.start()
    time.sleep(USED_SECONDS)
    call_command("migrate", verbosity=0)
    time.sleep(USED_SECONDS)
    replace_all(services, "1", "2", ROOT)
    replace_all(services, "2", "3", previous)
    load.end()
    load.assert_nothing_lost()
    assert list(find_differences()) == []
    services.close()

    migrate_back()
    assert pending_migrations()
    call_command("migrate", verbosity=0)
    assert list(find_differences()) == []
    assert Implementation.objects.filter(state="published").count() == len(load.batches)
