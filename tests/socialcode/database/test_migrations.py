"""Databases that took the replaced migrations one by one go on as fresh ones do."""

import os
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from tests.support.site import ROOT, url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)

# As it was made, not as it is numbered: `attnum` counts what has been removed as well.
DESCRIPTION = """
with ours as (
    select oid, relname, reloptions from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i', 'S')
)
select relname, 'options', reloptions::text from ours
union all
select relname, 'column ' || row_number() over (partition by relname order by attnum),
    concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attstorage,
              attstattarget, attcollation, pg_get_expr(adbin, adrelid))
from ours join pg_attribute on attrelid = ours.oid and attnum > 0 and not attisdropped
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
union all
select relname, conname, pg_get_constraintdef(c.oid)
from ours join pg_constraint c on conrelid = ours.oid
union all
select relname, 'index', pg_get_indexdef(ours.oid) from ours join pg_index on indexrelid = ours.oid
union all
select relname, tgname, pg_get_triggerdef(t.oid)
from ours join pg_trigger t on tgrelid = ours.oid and not tgisinternal
union all
select proname, 'function', pg_get_functiondef(p.oid) from pg_proc p
where pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
union all
select extname, 'extension', extversion from pg_extension
union all
select app, 'migration', name from django_migrations
"""
MIGRATE = """
import gc; gc.disable()
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
"""


@pytest.fixture
def another_database() -> Iterator[str]:
    """Give the address of an empty database beside that of the tests."""
    parts = urlsplit(url_of_test_database())
    name = f"{parts.path[1:]}_another"
    with connection._nodb_cursor() as cursor:
        cursor.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    yield urlunsplit(parts._replace(path=f"/{name}"))
    with connection._nodb_cursor() as cursor:
        cursor.execute(sql.SQL("drop database {}").format(sql.Identifier(name)))


def description(address: str) -> set[tuple[str, ...]]:
    with psycopg.connect(address) as database:
        return set(database.execute(DESCRIPTION).fetchall())


def migrate(address: str) -> None:
    subprocess.run(
        [sys.executable, "-c", MIGRATE],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": address},
        check=True,
    )


def test_a_database_that_took_the_replaced_migrations_goes_on(another_database: str) -> None:
    migrate(another_database)
    with psycopg.connect(another_database) as database:
        deleted = database.execute(
            "delete from django_migrations where name like 'fresh_squashed_%' returning app"
        )
        assert {app for (app,) in deleted} == {"functions", "runner"}
    migrate(another_database)
    assert description(another_database) == description(url_of_test_database())
