"""Rounds of faults of hosts under load. Needs Django set up on the hosts' database."""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from chaos import watching
from chaos.fleet import Fleet
from chaos.guests import invite
from chaos.hosts.faults import FAULTS, NOTHING, HostFault, Strike
from chaos.hosts.measures import HostRow, longest_pause, report, write_figures
from chaos.hosts.site import PORT, WORKER_HOSTS, HostedSite
from chaos.hosts.users import Caller, HostUser, Voter, define_called, is_called, users
from chaos.invariants import Violation
from chaos.people import found
from chaos.rounds import await_quiet, load_held
from chaos.site import LOADS

OBSERVED_SECONDS = 8.0  # at least, after each fault
RECOVERY_SECONDS = 60.0
BETWEEN_SECONDS = 2.0  # from one fault to the next in the short round
ELECTION_SECONDS = 60.0
SHOWN = 20  # violations per round


def play(site: HostedSite, seconds: float, only: str) -> bool:
    """Play rounds of one fault each until the time is over; return whether all is sound."""
    chance, ends_at = random.Random(site.seed), time.monotonic() + seconds
    faults = [fault for fault in FAULTS if only in fault.name]
    with _clients(site, LOADS) as game:
        game.play([NOTHING])
        while time.monotonic() < ends_at:
            for fault in chance.sample(faults, len(faults)):
                if time.monotonic() < ends_at:
                    game.play([fault])
        write_figures(game.rows)
        return game.end()


def play_short(site: HostedSite) -> bool:
    """Play one round with each fault, the failover last, without waiting for recovery between."""
    with _clients(site, LOADS[1:]) as game:
        game.play(FAULTS, is_short=True)
        return game.end()


class HostGame:
    """All rounds and their results; each violation is counted once."""

    def __init__(self, site: HostedSite, fleet: Fleet, users: Sequence[HostUser]) -> None:
        self._site = site
        self._fleet = fleet
        self._users = users
        self._chance = random.Random(site.seed)
        self._known: set[Violation] = set()
        self._rows: dict[str, HostRow] = {}

    @property
    def rows(self) -> list[HostRow]:
        return list(self._rows.values())

    def play(self, faults: Sequence[HostFault], *, is_short: bool = False) -> None:
        """Replace dead hosts, inject these faults in order under load, and check everything."""
        self._repair()
        began = time.monotonic()
        rows = [self._rows.setdefault(fault.name, HostRow(fault.name)) for fault in faults]
        self._go_on()
        for fault, row in zip(faults, rows, strict=True):
            self._site.wait(1)
            strike = fault.inject(self._site, self._fleet, self._chance)
            row.injected += 1
            row.struck += strike.hit_work
            print(f"{time.monotonic() - began:5.0f} s  {fault.name}", flush=True)
            if is_short:
                self._site.wait(BETWEEN_SECONDS)
            else:
                self._observe(strike, row)
        self._site.heal()
        found = [each for each in dict.fromkeys(self._end_round()) if each not in self._known]
        self._known.update(found)
        for row in rows:
            row.charge(found)
        print(f"{time.monotonic() - began:5.0f} s  judged", flush=True)
        for violation in found[:SHOWN]:
            print(f"         {violation}", flush=True)

    def end(self) -> bool:
        """Print the results; return whether there is no violation."""
        done: Counter[str] = Counter()
        for user in self._users:
            done[user.done] += len(user.accepted_at)
        accepted = [f"{count} {name}" for name, count in done.items()]
        print(watching.load_in_words(), self._fleet.in_words(), *accepted, sep="; ")
        self._site.stop_load()
        verified = self._site.manage("verify", may_fail=True)
        print(verified.stdout.strip())
        if self._site.restarted:
            print("restarted, as they had ended:", ", ".join(self._site.restarted))
        amiss = self._site.complaints()
        if verified.returncode:
            amiss += ["`manage.py verify` failed:", *verified.stderr.splitlines()]
        print(*amiss, sep="\n", end="\n" if amiss else "")
        report(self.rows)
        if amiss or self._known:
            print(self._site.logs(), file=sys.stderr)
            print(f"There are violations; the seed was {self._site.seed}.")
        return not amiss and not self._known

    def _go_on(self) -> None:
        self._fleet.go_on()
        for user in self._users:
            self._fleet.do(user.go_on)

    def _observe(self, strike: Strike, row: HostRow) -> None:
        """Wait until the site has recovered, and measure how long that took."""
        deadline = strike.began + RECOVERY_SECONDS
        self._site.wait(max(0.0, strike.began + OBSERVED_SECONDS - time.monotonic()))
        self._site.heal()
        while not watching.has_recovered(strike.moment) and time.monotonic() < deadline:
            self._site.wait(0.1)
        now = time.time()
        row.take(
            verdict=longest_pause(watching.verdicts_between(strike.at, now), strike.at, now),
            write=self._longest_pause(Voter, strike.at, now),
            call=self._longest_pause(Caller, strike.at, now),
            event=self._fleet.seconds_behind(strike.began, strike.began),
            runs=watching.seconds_to_recover(strike.moment),
        )

    def _longest_pause(self, kind: type, began: float, ended: float) -> float:
        return max(
            longest_pause([*user.accepted_at], began, ended)
            for user in self._users
            if isinstance(user, kind)
        )

    def _end_round(self) -> Iterator[Violation]:
        """Wait until the site is quiet; yield the violations."""
        healed_at = time.monotonic()
        yield from self._fleet.await_heads()
        self._fleet.hold()
        for user in self._users:
            self._fleet.call(user.rest())
        with load_held(self._site.folder):
            yield from await_quiet(self._site.wait)
            yield from watching.find_wrong()
            yield from self._fleet.judge(healed_at)
            for user in self._users:
                yield from user.violations()
            yield from watching.left_over(self._site.left_behind())

    def _repair(self) -> None:
        """Replace the hosts that were killed."""
        while len(self._site.workers) < WORKER_HOSTS:
            self._site.add_worker_host()
        self._site.replace_standby()


@contextmanager
def _clients(site: HostedSite, loads: Sequence[str]) -> Iterator[HostGame]:
    """Start load and clients."""
    found()
    random.seed(site.seed)  # for the clients' delays
    guests = invite()
    called = define_called()
    deadline = time.monotonic() + ELECTION_SECONDS
    while not is_called(called) and time.monotonic() < deadline:
        site.wait(0.1)
    fleet = Fleet([PORT], guests, site.seed, site.proxy.address)
    fleet.start()
    try:
        members = users(fleet.networks[0].port)
        fleet.add(*(user.run() for user in members))
        site.keep_load(loads)
        yield HostGame(site, fleet, members)
    finally:
        fleet.stop()
