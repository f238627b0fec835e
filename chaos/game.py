"""The chaos test: rounds until the time is over, and a table of the results.

Needs Django set up on the tested site's engines.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from chaos.faults import (
    FAULTS,
    Fault,
    kill_joiner,
    kill_parent,
    kill_submitter,
    kill_zygote,
    restart_postgres,
    restart_redis,
)
from chaos.fleet import Fleet
from chaos.guests import invite
from chaos.people import found
from chaos.rounds import Game, Row
from chaos.site import Site
from chaos.stream_faults import StreamFaults
from chaos.watching import load_in_words

MIXED = 4  # faults in one round
WEB_SERVERS = 2
SHORT = (kill_parent, kill_joiner, kill_submitter, kill_zygote, restart_postgres, restart_redis)
SHORT_OF_STREAMS = (
    "web server killed before its bell",
    "Redis emptied amid events",
    "network cut at any byte",
    "network lost what was sent",
    "all clients dropped at once",
    "author of a draft signed out",
)
COLUMNS = ("fault", "injected", "struck", "lost", "duplicated", "wrong", "slowest recovery")
SHOWN = 5  # violations per law and round


def play(site: Site, seconds: float, only: str) -> bool:
    """Play rounds and print the results; return whether there are no violations."""
    chance = random.Random(site.seed)
    with _clients(site) as fleet:
        faults = [*FAULTS, *StreamFaults(fleet).all()]
        chosen = [fault for fault in faults if only in fault.name]
        return _play(site, chance, _deal(chance, time.monotonic() + seconds, chosen), fleet)


def play_short(site: Site) -> bool:
    """Play one round with a few kinds of faults, and without clients."""
    found()
    faults = [fault._replace(times=1) for fault in FAULTS if fault.inject in SHORT]
    return _play(site, random.Random(site.seed), [faults], None)


def play_short_of_streams(site: Site) -> bool:
    """Play one round with a few kinds of faults that affect clients."""
    with _clients(site) as fleet:
        faults = [fault for fault in StreamFaults(fleet).all() if fault.name in SHORT_OF_STREAMS]
        once = [fault._replace(times=1) for fault in faults]
        return _play(site, random.Random(site.seed), [once], fleet)


@contextmanager
def _clients(site: Site) -> Iterator[Fleet]:
    """Start web servers and clients."""
    found()
    random.seed(site.seed)  # for the clients' delays
    site.open_webs(WEB_SERVERS)
    fleet = Fleet(site.web_ports, invite(), site.seed)
    fleet.start()
    try:
        yield fleet
    finally:
        fleet.stop()


def _deal(
    chance: random.Random, ends_at: float, faults: Sequence[Fault]
) -> Iterator[Sequence[Fault]]:
    """Yield the faults of each round; each fault comes once before any is repeated."""
    while True:
        deck = list(faults)
        chance.shuffle(deck)
        while deck:
            if time.monotonic() > ends_at:
                return
            yield deck[:MIXED]
            deck = deck[MIXED:]


def _play(
    site: Site, chance: random.Random, rounds: Iterable[Sequence[Fault]], fleet: Fleet | None
) -> bool:
    site.keep_workers()
    game = Game(site, chance, fleet)
    is_sound = True
    for faults in rounds:
        began = time.monotonic()
        broken = game.play(faults)
        is_sound = is_sound and not broken
        names = ", ".join(fault.name for fault in faults)
        print(f"{time.monotonic() - began:5.0f} s  {names}", flush=True)
        shown: Counter[str] = Counter()
        for violation in broken:
            shown[violation.law] += 1
            if shown[violation.law] <= SHOWN:
                print(f"         {violation}", flush=True)
    print(load_in_words(), *([fleet.in_words()] if fleet else []), sep="; ")
    amiss = [*site.stop_processes(), *site.said_to_be_wrong()]
    verified = site.manage("verify", may_fail=True)
    print(verified.stdout.strip())
    if verified.returncode:
        amiss += ["`manage.py verify` failed:", *verified.stderr.splitlines()]
    print(*amiss, sep="\n", end="\n" if amiss else "")
    _report(list(game.rows.values()))
    if amiss or not is_sound:
        print(site.logs(), file=sys.stderr)
        print(f"There are violations; the seed was {site.seed}.")
    return is_sound and not amiss


def _report(rows: Sequence[Row]) -> None:
    """Print the table."""
    lines: list[tuple[str, ...]] = [COLUMNS]
    for row in rows:
        counts = (row.injected, row.struck, row.lost, row.duplicated, row.wrong)
        lines.append((row.fault, *map(str, counts), f"{row.slowest_seconds:.1f} s"))
    counted = (sum(row.injected for row in rows), sum(row.struck for row in rows))
    lines.append(("all", *map(str, counted), "", "", "", ""))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join([first.ljust(widths[0]), *cells]).rstrip())
