"""Writers of items in one hot group, whose sum is a document view or a row that each one updates.

Runs in separate processes, which have Django set up on the measured site's engines.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction

from functions.document_views.changes import Change, record_changes
from functions.document_views.sources import Record, register_source
from functions.document_views.updates import joiner
from functions.document_views.verification import find_wrong_views
from functions.models import DocumentView, DocumentViewChange

SOURCE = "bench"
SETTLE_SECONDS = 30.0
PRICES = range(1, 1_000)
# Both designs write items alike, each into a table of its own. Rows of the totals have room to be
# updated within their page.
TABLES = """
    create table bench_item (
        design text, id text collate "C", value jsonb, primary key (design, id));
    create table bench_total (
        key text primary key, n bigint, total bigint) with (fillfactor = 10);
    insert into bench_total values ('hot', 0, 0);
"""
_WRITE = """
    insert into bench_item as i values (%s, %s, %s)
    on conflict (design, id) do update set value = excluded.value
    returning old.value
"""
_ADD = "update bench_total set n = n + %s, total = total + %s where key = 'hot'"
_PAGE = """
    select id, value from bench_item where design = 'ours' and id > %s order by id limit %s
"""
_LOCKED_MISCOUNT = """
    select abs(n - (select count(*) from bench_item where design = 'locked'))
        + abs(total - coalesce((select sum((value ->> 'price')::bigint) from bench_item
                                where design = 'locked'), 0))
    from bench_total
"""


def read_page(source: str, after: str, limit: int) -> list[Record]:  # noqa: ARG001 - there is one
    """Return the next items."""
    with connection.cursor() as cursor:
        cursor.execute(_PAGE, [after, limit])
        return [Record(item, json.loads(value)) for item, value in cursor]


register_source(SOURCE, read_page)


def serve(handle: int) -> None:
    """Execute the tasks that come over this pipe, until it is closed."""
    pipe: Connection[Any, Any] = Connection(handle)
    tasks: dict[str, Callable[..., Any]] = {
        "prepare": prepare,
        "write": write,
        "miscounts": miscounts,
    }
    while True:
        try:
            task, given = pipe.recv()
        except EOFError:
            return
        pipe.send(tasks[task](**given))


def prepare(definition: dict[str, Any]) -> None:
    """Create the tables and the view."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
    DocumentView.objects.create(
        name="Hot", owner=User.objects.all()[0], definition=definition, source=SOURCE
    )
    DocumentView.objects.update(built_at=DocumentView.objects.get().created_at)


def write(design: str, writers: Sequence[Sequence[str]], seconds: float) -> list[float]:
    """Write items in one thread per writer as fast as possible; return the seconds of each."""
    act = {"ours": _write_ours, "locked": _write_locked, "alone": _write_alone}[design]
    all_latencies: list[float] = []
    failures: list[BaseException] = []
    ready = threading.Barrier(len(writers))

    def work(items: Sequence[str]) -> None:
        chance = random.Random(items[0])
        latencies: list[float] = []
        try:
            connection.ensure_connection()
            ready.wait()
            end = time.perf_counter() + seconds
            while (began := time.perf_counter()) < end:
                act(chance.choice(items), {"group": "hot", "price": chance.choice(PRICES)})
                latencies.append(time.perf_counter() - began)
        except BaseException as failure:  # noqa: BLE001 - raised again by the main thread
            failures.append(failure)
        finally:
            connection.close()
        all_latencies.extend(latencies)

    threads = [threading.Thread(target=work, args=[items]) for items in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    if not joiner.wait_idle(SETTLE_SECONDS):
        raise TimeoutError("the view was not updated")
    return all_latencies


def _write_ours(item: str, value: dict[str, Any]) -> None:
    with transaction.atomic():
        before = _write_item("ours", item, value)
        record_changes(SOURCE, [Change(item, before, value)])


def _write_locked(item: str, value: dict[str, Any]) -> None:
    """Lock the totals as late, and so as shortly, as possible: until the commit."""
    with transaction.atomic():
        before = _write_item("locked", item, value)
        difference = value["price"] - (before["price"] if before else 0)
        with connection.cursor() as cursor:
            cursor.execute(_ADD, [int(before is None), difference])


def _write_alone(item: str, value: dict[str, Any]) -> None:
    with transaction.atomic():
        _write_item("alone", item, value)


def _write_item(design: str, item: str, value: dict[str, Any]) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, [design, item, json.dumps(value)])
        (before,) = cursor.fetchone()
    return json.loads(before) if before else None


def miscounts() -> int:
    """Return the number of differences of both designs from their items."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while DocumentViewChange.objects.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    with connection.cursor() as cursor:
        cursor.execute(_LOCKED_MISCOUNT)
        (locked,) = cursor.fetchone()
    return int(locked) + len(list(find_wrong_views())) + DocumentViewChange.objects.count()
