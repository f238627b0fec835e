"""A database that stands anywhere on the way of the migrations arrives where a fresh one begins."""

import os
import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from tests.site import ROOT, url_of_test_database

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
# As one that was made when there was no short cut; `runner` is taken along to 0007.
PART_OF_THE_WAY = ("functions", "0012_causes_of_due_elections")
GO_ON = f"""
import gc; gc.disable()
import django; django.setup()
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
executor = MigrationExecutor(connection)
executor.loader.replace_migrations = False
executor.loader.build_graph()
executor.migrate([{PART_OF_THE_WAY}])
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


def test_a_database_that_has_gone_a_part_of_the_way_arrives_where_a_fresh_one_begins(
    another_database: str,
) -> None:
    subprocess.run(
        [sys.executable, "-c", GO_ON],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": another_database},
        check=True,
    )
    by_the_way, at_once = description(another_database), description(url_of_test_database())
    assert by_the_way - at_once == at_once - by_the_way == set()
    assert ("functions", "migration", "fresh_squashed_0019") in at_once
