"""Faults of whole hosts."""

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from chaos import watching
from chaos.fleet import Fleet
from chaos.hosts.namespaces import Host
from chaos.hosts.site import HostedSite
from chaos.settings import LEASE_SECONDS
from chaos.stream_faults import ENOUGH

STRIKE_SECONDS = 8.0
CUT_SECONDS = LEASE_SECONDS + 4.0


class Strike(NamedTuple):
    """The moment of a fault, and whether it hit work in progress."""

    hit_work: bool
    moment: watching.Moment
    at: float  # seconds since the epoch
    began: float  # the same by the monotonic clock


class HostFault(NamedTuple):
    """A fault; `inject` waits for a suitable moment."""

    name: str
    inject: Callable[[HostedSite, Fleet, random.Random], Strike]


def nothing(site: HostedSite, _fleet: Fleet, _chance: random.Random) -> Strike:
    return _strike(_await_work(site))


def kill_worker_host(site: HostedSite, _fleet: Fleet, chance: random.Random) -> Strike:
    host = _busy_worker_host(site, chance)
    strike = _strike(host.name in watching.holding_hosts())
    site.workers.remove(host)
    site.withdraw(host)
    return strike


def cut_worker_host(site: HostedSite, _fleet: Fleet, chance: random.Random) -> Strike:
    host = _busy_worker_host(site, chance)
    strike = _strike(host.name in watching.holding_hosts())
    host.disconnect()
    site.later(CUT_SECONDS, host.reconnect)
    return strike


def replace_web_host(site: HostedSite, fleet: Fleet, _chance: random.Random) -> Strike:
    """Start a web host; then take the oldest one out of the proxy, end it and switch it off."""
    site.await_answer(site.add_web_host().address)
    strike = _strike(_await(site, lambda: len(fleet.listening()) >= ENOUGH))
    former = site.webs.pop(0)
    site.list_webs()
    site.end_gently(former, "web")
    site.withdraw(former)
    return strike


def empty_valkey(site: HostedSite, _fleet: Fleet, _chance: random.Random) -> Strike:
    strike = _strike(_await_work(site))
    site.redis.flushall()
    return strike


def fail_over(site: HostedSite, _fleet: Fleet, _chance: random.Random) -> Strike:
    strike = _strike(_await_work(site))
    site.database.fail_over()
    return strike


def _strike(hit_work: bool) -> Strike:
    return Strike(hit_work, watching.moment(), time.time(), time.monotonic())


def _busy_worker_host(site: HostedSite, chance: random.Random) -> Host:
    """Wait a while for a worker that executes something; return its host, or else any."""
    busy: list[Host] = []

    def look() -> bool:
        holding = watching.holding_hosts()
        busy.extend(host for host in connected if host.name in holding)
        return bool(busy)

    connected = [host for host in site.workers if host.is_connected]
    return chance.choice(busy if _await(site, look) else connected)


def _await_work(site: HostedSite) -> bool:
    return _await(site, lambda: bool(watching.holding_hosts()))


def _await(site: HostedSite, holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + STRIKE_SECONDS
    while not (is_so := holds()) and time.monotonic() < deadline:
        site.wait(0.02)
    return is_so


NOTHING = HostFault("nothing (to compare with)", nothing)
FAULTS = (
    HostFault(f"worker host cut off for {CUT_SECONDS:.0f} s", cut_worker_host),
    HostFault("worker host killed", kill_worker_host),
    HostFault("web host replaced during streams", replace_web_host),
    HostFault("Valkey emptied", empty_valkey),
    HostFault("PostgreSQL fails over to its standby", fail_over),
)
