"""Stores source texts by hash, for as long as a program uses them."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db import connection
from psycopg.types.json import Jsonb

from runner.programs.text_cache import TextCache

# Hashes are passed as one comma-separated text: psycopg escapes arrays element by element.
HASHES = "array(select decode(h, 'hex') from unnest(string_to_array(%s, ',')) h)"
# Times of use are stored to the day, which saves nearly all of these writes.
IS_STALE = "used_at < now() - make_interval(days => 1)"
# Retention removes a source only if it is not locked and has not been used for long.
_INSERT = """
    insert into runner_source (sha256, text)
    select decode(n.sha256, 'hex'), n.text
    from jsonb_to_recordset(%s) as n (sha256 text, text text)
    order by 1 on conflict do nothing returning sha256
"""
_TOUCH = f"""
    with stale as materialized (
        select sha256 from runner_source
        where sha256 = any({HASHES}) order by sha256 for no key update
    )
    update runner_source s set used_at = now() from stale where stale.sha256 = s.sha256
"""  # noqa: S608
_HOLD = f"""
    select sha256, {IS_STALE} from runner_source
    where sha256 = any({HASHES}) order by sha256 for key share
"""  # noqa: S608 - constants of ours
_READ = f"""
    select encode(sha256, 'hex'), text from runner_source where sha256 = any({HASHES})
"""  # noqa: S608

_texts = TextCache(max_bytes=4_000_000)


def read_sources(hashes: Collection[str]) -> dict[str, str]:
    """Return the stored texts by hexadecimal hash; missing ones are left out."""
    texts = _texts.find(hashes)
    if missing := [sha256 for sha256 in hashes if sha256 not in texts]:
        with connection.cursor() as cursor:
            cursor.execute(_READ, [",".join(missing)])
            read = dict(cursor)
        _texts.keep(read)
        texts |= read
    return texts


def store_sources(cursor: Any, sources: Mapping[bytes, str]) -> None:
    """Lock the sources that exist, and insert the others."""
    missing = set(sources)
    while missing:
        missing -= _hold(cursor, missing)
        # A source that another transaction inserts meanwhile is not locked yet: try again.
        missing -= _insert(cursor, {sha256: sources[sha256] for sha256 in missing})


def _insert(cursor: Any, sources: Mapping[bytes, str]) -> set[bytes]:
    if not sources:
        return set()
    rows: Any = Jsonb([{"sha256": sha256.hex(), "text": text} for sha256, text in sources.items()])
    cursor.execute(_INSERT, [rows])
    return {bytes(sha256) for (sha256,) in cursor}


def _hold(cursor: Any, hashes: Iterable[bytes]) -> set[bytes]:
    """Lock the existing sources and store the time of use; return their hashes."""
    cursor.execute(_HOLD, [join_hashes(hashes)])
    held = {bytes(sha256): is_stale for sha256, is_stale in cursor}
    if stale := [sha256 for sha256, is_stale in held.items() if is_stale]:
        cursor.execute(_TOUCH, [join_hashes(stale)])
    return set(held)


def join_hashes(hashes: Iterable[bytes]) -> str:
    """Return the hashes as the text that `HASHES` expects."""
    return ",".join(map(bytes.hex, hashes))
