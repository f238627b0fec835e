"""Faults of processes and engines. Each returns whether it hit work in progress."""

import random
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import django_rq
import redis
from django.db import transaction

from chaos import watching
from chaos.processes import Process, descendants, leaves, send
from chaos.programs import make, make_poison
from chaos.settings import LEASE_SECONDS
from chaos.site import Site
from runner.batches.submission import submit_batch

Worker = subprocess.Popen[bytes]

BEYOND_LEASE_SECONDS = LEASE_SECONDS + 1.5
STRIKE_SECONDS = 8.0
POISON_SECONDS = 30.0
HOUR = 3600
POISONED_TIMES = 3

CUT_OTHERS = """
    select count(pg_terminate_backend(pid)) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
"""


class Fault(NamedTuple):
    """A fault; `inject` waits for a suitable moment."""

    name: str
    inject: Callable[[Site, random.Random], bool]
    times: int = 4  # per round
    streams: bool = False  # whether recovery is measured for clients; else for batches
    lasting: float = 0.0  # maximal seconds after injection


def _busy_worker(site: Site, chance: random.Random, among: Sequence[Worker] = ()) -> Worker | None:
    """Wait a while for a worker (`among` these) that executes something, and return it."""
    deadline = time.monotonic() + STRIKE_SECONDS
    while time.monotonic() < deadline:
        busy = watching.holders()
        workers = [worker for worker in among or site.workers if worker.pid in busy]
        if workers:
            return chance.choice(workers)
        site.wait(0.02)
    return None


def kill_parent(site: Site, chance: random.Random) -> bool:
    worker = _busy_worker(site, chance)
    if worker is not None:
        site.kill_worker(worker)
    return worker is not None


def kill_family(site: Site, chance: random.Random) -> bool:
    worker = _busy_worker(site, chance)
    if worker is not None:
        family = descendants(worker.pid)
        site.kill_worker(worker)
        for process in family:
            send(process, signal.SIGKILL)
    return worker is not None


def kill_all_workers(site: Site, chance: random.Random) -> bool:
    struck = _busy_worker(site, chance) is not None
    for worker in site.workers:
        site.kill_worker(worker)
    return struck


def kill_joiner(site: Site, _chance: random.Random) -> bool:
    """Kill the workers while there are committed events without a sequence number."""
    deadline = time.monotonic() + STRIKE_SECONDS
    while not (struck := watching.is_something_unjoined()) and time.monotonic() < deadline:
        pass
    for worker in site.workers:
        site.kill_worker(worker)
    return struck


def _kill_in_sandbox(
    choose: Callable[[list[Process]], list[Process]],
) -> Callable[[Site, random.Random], bool]:
    def inject(site: Site, chance: random.Random) -> bool:
        worker = _busy_worker(site, chance)
        chosen = choose(descendants(worker.pid)) if worker is not None else []
        for process in chosen:
            send(process, signal.SIGKILL)
        return bool(chosen)

    return inject


def kill_callers(site: Site, chance: random.Random) -> bool:
    time.sleep(chance.uniform(0, 0.5))
    site.kill_callers()
    return True


def kill_submitter(site: Site, chance: random.Random) -> bool:
    deadline = time.monotonic() + STRIKE_SECONDS
    while not (submitters := site.submitters()) and time.monotonic() < deadline:
        site.wait(0.01)
    time.sleep(chance.uniform(0, 0.02))
    if submitters:
        send(chance.choice(submitters), signal.SIGKILL)
    return bool(submitters)


def pause_worker(site: Site, chance: random.Random) -> bool:
    worker = _busy_worker(site, chance)
    if worker is not None:
        worker.send_signal(signal.SIGSTOP)
        site.later(BEYOND_LEASE_SECONDS, lambda: worker.send_signal(signal.SIGCONT))
    return worker is not None


def cut_worker(site: Site, chance: random.Random) -> bool:
    """Pause the proxy between the first worker and the database."""
    struck = _busy_worker(site, chance, site.workers[:1]) is not None
    site.proxy.send_signal(signal.SIGSTOP)
    site.later(BEYOND_LEASE_SECONDS, lambda: site.proxy.send_signal(signal.SIGCONT))
    return struck


def cut_connections(site: Site, chance: random.Random) -> bool:
    struck = _busy_worker(site, chance) is not None
    watching.ask(CUT_OTHERS)
    return struck


def restart_postgres(site: Site, chance: random.Random) -> bool:
    struck = _busy_worker(site, chance) is not None
    site.restart_postgres()
    return struck


def empty_redis(site: Site, chance: random.Random) -> bool:
    struck = _busy_worker(site, chance) is not None
    return _succeeds(site.redis.flushall) and struck


def restart_redis(site: Site, chance: random.Random) -> bool:
    struck = _busy_worker(site, chance) is not None
    site.restart_valkey()
    return struck


def pause_redis(site: Site, chance: random.Random) -> bool:
    struck = _busy_worker(site, chance) is not None
    redis_server = site.valkey
    redis_server.send_signal(signal.SIGSTOP)
    site.later(chance.uniform(1, 4), lambda: redis_server.send_signal(signal.SIGCONT))
    return struck


def ring_too_often(site: Site, chance: random.Random) -> bool:
    """Enqueue ten times as many doorbell jobs as needed, and shuffle the queue."""
    struck = _busy_worker(site, chance) is not None
    return _succeeds(lambda: _ring_and_shuffle(chance)) and struck


def _ring_and_shuffle(chance: random.Random) -> None:
    queue = django_rq.get_queue("runs")
    for _ in range(10):
        queue.enqueue("runner.jobs.drain", result_ttl=0, failure_ttl=0)
    bells = queue.connection.lrange(queue.key, 0, -1)
    chance.shuffle(bells)
    with queue.connection.pipeline() as pipe:
        pipe.delete(queue.key)
        if bells:
            pipe.rpush(queue.key, *bells)
        pipe.execute()


def _succeeds(act: Callable[[], object]) -> bool:
    """Call a function; return False if Redis is unavailable."""
    try:
        act()
    except redis.RedisError:
        return False
    return True


def shift_clock(site: Site, chance: random.Random) -> bool:
    """Start a worker whose clock is an hour off; return whether it executes anything."""
    place = chance.randrange(len(site.workers))
    words = ("-m", "chaos.shifted", str(chance.choice((-HOUR, HOUR))), "worker")
    site.replace_worker(place, *words)
    off = site.workers[place]
    deadline = time.monotonic() + 2 * STRIKE_SECONDS
    while time.monotonic() < deadline:
        if off.pid in watching.holders():
            return True
        site.wait(0.1)
    return False


def poison(site: Site, chance: random.Random) -> bool:
    """Kill every worker that executes a certain program."""
    name = f"poison {chance.random()}"
    poisonous = make_poison(name)
    neighbours = [make(f"{name} {number}", chance, seconds=0.1) for number in range(3)]
    with transaction.atomic():
        submit_batch(
            topic="poison:1", cause="chaos", programs=[poisonous, *neighbours], priority=-1
        )
    killed = 0
    deadline = time.monotonic() + POISON_SECONDS
    while killed < POISONED_TIMES and time.monotonic() < deadline:
        holder = watching.holder_of(poisonous.key)
        for worker in [worker for worker in site.workers if worker.pid == holder]:
            site.kill_worker(worker)
            killed += 1
        site.wait(0.1)
    return killed == POISONED_TIMES


kill_zygote = _kill_in_sandbox(lambda all_: all_[:1])

FAULTS = (
    Fault("worker's parent killed", kill_parent),
    Fault("worker and all its children killed", kill_family),
    Fault("all workers killed", kill_all_workers, 2),
    Fault("joiners killed before they join", kill_joiner, 3),
    Fault("running children killed", _kill_in_sandbox(lambda all_: leaves(all_)[:2])),
    Fault("all children killed", _kill_in_sandbox(leaves)),
    Fault("zygote killed", kill_zygote),
    Fault("checkers of source killed", kill_callers, 2),
    Fault("submitter killed", kill_submitter, 8),
    Fault("worker paused beyond its lease", pause_worker, 2),
    Fault("worker cut from the database", cut_worker, 2),
    Fault("all connections cut", cut_connections, 5),
    Fault("PostgreSQL restarted at once", restart_postgres, 3),
    Fault("Redis emptied", empty_redis, 8),
    Fault("Redis restarted with nothing", restart_redis, 4),
    Fault("Redis paused", pause_redis, 2),
    Fault("bells tenfold and shuffled", ring_too_often, 8),
    Fault("worker's clock an hour off", shift_clock, 1),
    Fault("poisonous program", poison, 1),
)
