"""Endless load: forks submitting processes, which are killed at any moment, again and again.

The content of a submission depends only on its request key, so the successor of a killed process
repeats the last one, whether it had arrived or not.
"""

import fcntl
import logging
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import redis
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError, connection, transaction

from chaos.people import OWNERS, People
from chaos.programs import make
from functions.errors import Refusal
from runner.batches.cancellation import cancel_batches
from runner.batches.paged_load import PagedPrograms
from runner.batches.reruns import TASKS, rerun_batch, retry_batch
from runner.batches.submission import submit_batch
from runner.errors import NothingToRun, RequestConflict
from runner.models import Batch
from runner.programs.program import PreparedProgram
from runner.states import BatchState, State

log = logging.getLogger(__name__)

DATABASE_AWAY = (OperationalError, InterfaceError)
TOPICS = 6
SHARED = 60  # programs that several processes submit
PAUSE_SECONDS = 0.15
AWAY_SECONDS = 0.2


class Submitters:
    """Submits programs to the runner directly."""

    def __init__(self, name: str, seed: str, generation: int) -> None:
        self._name = name
        self._generation = generation
        self._chance = random.Random(f"{seed} {name} {generation}")
        self._owners = list(User.objects.filter(username__in=OWNERS).order_by("pk"))
        self._count = 0
        self._acts: dict[Callable[[], object], int] = {
            self.submit: 8,
            self.submit_under_a_key: 5,
            self.submit_steps: 2,
            self.submit_family: 2,
            self.submit_by_pages: 1,
            self.cancel: 2,
            self.retry: 1,
            self.run_again: 1,
        }

    def begin(self) -> None:
        """Repeat the last two submissions of the predecessor."""
        keys = Batch.objects.filter(request_key__startswith=f"{self._name}-")
        for key in list(keys.order_by("-pk").values_list("request_key", flat=True)[:2]):
            self._submit_request(key)

    def act(self) -> None:
        """Perform a random action."""
        self._chance.choices(list(self._acts), list(self._acts.values()))[0]()

    def submit(self) -> None:
        size = self._chance.choice((1, 1, 2, 3, 5, 12))
        self._submit([self._program() for _ in range(size)])

    def submit_under_a_key(self) -> None:
        key = f"{self._name}-{self._generation}-{self._next()}"
        for _ in range(self._chance.choice((1, 2, 3))):
            self._submit_request(key)

    def submit_steps(self) -> None:
        programs = [self._program() for _ in range(self._chance.randint(2, 4))]
        distinct = list(dict.fromkeys(program.key for program in programs))
        self._submit(programs, after=dict(zip(distinct[1:], distinct, strict=False)))

    def submit_family(self) -> None:
        with transaction.atomic():
            parent = self._submit([self._program()], topic="chaos:parents")
            for _ in range(2):
                self._submit([self._program()], parent=parent)

    def submit_by_pages(self) -> None:
        former = self._any_batch(state=BatchState.COMPLETE)
        if former is not None:
            arguments = {"batch": former.pk, "states": list(State)}
            rerun = self._chance.random() < 0.5
            cause = "loaded again" if rerun else "loaded"
            self._submit(PagedPrograms(TASKS, arguments, page=2), rerun=rerun, cause=cause)

    def cancel(self) -> None:
        if (batch := self._any_batch(state=BatchState.OPEN)) is not None:
            cancel_batches([batch])

    def retry(self) -> None:
        if (batch := self._any_batch(state=BatchState.CANCELLED)) is not None:
            with transaction.atomic(), suppress(NothingToRun):
                retry_batch(batch, None)

    def run_again(self) -> None:
        if (batch := self._any_batch(state=BatchState.COMPLETE)) is not None:
            with transaction.atomic(), suppress(NothingToRun):
                rerun_batch(batch, None)

    def _submit_request(self, key: str) -> None:
        chance = random.Random(key)
        programs = [make(f"{key} {n}", chance) for n in range(chance.randint(1, 4))]
        topic = f"chaos:{chance.randrange(TOPICS)}"
        try:
            batch = self._submit(programs, request_key=key, topic=topic, owner=self._owners[0])
        except RequestConflict as error:
            print(f"WRONG: {key} raised a conflict: {error}", flush=True)
            return
        if batch.tasks.count() != len(programs):
            print(f"WRONG: {key} has {batch.tasks.count()} tasks of {len(programs)}", flush=True)

    def _submit(self, programs: list[PreparedProgram] | PagedPrograms, **wishes: object) -> Batch:
        topic = f"chaos:{self._chance.randrange(TOPICS)}"
        owner = self._chance.choice([*self._owners, None])
        terms: dict[str, object] = {"topic": topic, "cause": "chaos", "owner": owner, **wishes}
        with transaction.atomic():
            return submit_batch(programs=programs, **terms)  # type: ignore[arg-type]

    def _program(self) -> PreparedProgram:
        if self._chance.random() < 0.3:
            number = self._chance.randrange(SHARED)
            return make(f"shared {number}", random.Random(number))
        return make(f"{self._name} {self._generation} {self._next()}", self._chance)

    def _any_batch(self, *, state: BatchState) -> Batch | None:
        batches = list(
            Batch.objects.filter(state=state, topic__name__startswith="chaos").order_by("-pk")[:20]
        )
        return self._chance.choice(batches) if batches else None

    def _next(self) -> int:
        self._count += 1
        return self._count


def main(name: str, seed: str, lock: str) -> None:
    """Fork a submitting process whenever the last one has ended, until killed."""
    us = os.getpid()
    generation = 0
    while True:
        generation += 1
        child = os.fork()
        if not child:
            _submit_until_killed(name, seed, generation, lock, us)
        os.waitpid(child, 0)


def _submit_until_killed(name: str, seed: str, generation: int, lock: str, parent: int) -> None:
    kind = People if name == "people" else Submitters
    somebody: People | Submitters | None = None
    while os.getppid() == parent:
        with _turn(lock):
            try:
                if somebody is None:
                    somebody = kind(name, seed, generation)
                    somebody.begin()
                somebody.act()
            except (*DATABASE_AWAY, redis.RedisError):
                connection.close()
                time.sleep(AWAY_SECONDS)
            except (Refusal, RequestConflict) as error:
                log.debug("refused: %s", error)
            except Exception as error:
                log.exception("unexpected")
                print(f"WRONG: {name} raised {error!r}", flush=True)
        time.sleep(random.expovariate(1 / PAUSE_SECONDS))
    sys.exit()


@contextmanager
def _turn(lock: str) -> Iterator[None]:
    """Wait while submissions are on hold; a killed process releases the file lock."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)
