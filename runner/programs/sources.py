"""Stores source texts by hash; they are kept as long as a program uses them."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db import connection
from psycopg.types.json import Jsonb

from runner.programs.text_cache import TextCache

# One comma-separated text: psycopg escapes each element of an array, which is slow.
HASHES = "array(select decode(h, 'hex') from unnest(string_to_array(%s, ',')) h)"
# Last uses are stored by day, which saves nearly all of these writes.
IS_STALE = "used_at < now() - make_interval(days => 1)"
# A source is removed only while nobody has locked it and no program has used it for long.
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
    """Return the stored texts of these hexadecimal hashes."""
    found = _texts.find(hashes)
    if missing := [sha256 for sha256 in hashes if sha256 not in found]:
        with connection.cursor() as cursor:
            cursor.execute(_READ, [",".join(missing)])
            read = dict(cursor)
        _texts.keep(read)
        found |= read
    return found


def store_sources(cursor: Any, sources: Mapping[bytes, str]) -> None:
    """Lock the sources that exist, as most do, and insert the others."""
    missing = set(sources)
    while missing:
        missing -= _hold(cursor, missing)
        # What another transaction inserts meanwhile may be removed before it is locked here.
        missing -= _insert(cursor, {sha256: sources[sha256] for sha256 in missing})


def _insert(cursor: Any, sources: Mapping[bytes, str]) -> set[bytes]:
    if not sources:
        return set()
    rows: Any = Jsonb([{"sha256": sha256.hex(), "text": text} for sha256, text in sources.items()])
    cursor.execute(_INSERT, [rows])
    return {bytes(sha256) for (sha256,) in cursor}


def _hold(cursor: Any, hashes: Iterable[bytes]) -> set[bytes]:
    """Lock those that exist, note their use, and return them."""
    cursor.execute(_HOLD, [join_hashes(hashes)])
    held = {bytes(sha256): is_stale for sha256, is_stale in cursor}
    if stale := [sha256 for sha256, is_stale in held.items() if is_stale]:
        cursor.execute(_TOUCH, [join_hashes(stale)])
    return set(held)


def join_hashes(hashes: Iterable[bytes]) -> str:
    """Return the hashes as the one text that `HASHES` reads."""
    return ",".join(map(bytes.hex, hashes))
