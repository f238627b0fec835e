"""Chains of functions on one base that changes, with one worker.

Runs in a separate process, which has Django set up on the measured site's engines.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.backends.signals import connection_created
from django.utils import timezone

from benchmarks.cascades import Measured
from functions.authoring import define_function, publish, start_draft
from functions.contests.evaluation import enqueue_reconcile
from functions.graph.usage import count_usage
from functions.maintenance.verification import find_differences
from functions.models import Cell, Dependency, Function, Implementation, Usage, Work
from functions.voting.votes import cast_vote
from runner.models import Attempt, Batch, Execution, FollowUp
from runner.programs.program import build_program, source_hash
from runner.programs.sources import read_sources
from runner.sandbox import Outcome, Pool, Verdict
from runner.states import BatchState
from runner.workers.drainer import Drainer

CORES = 2


class Cascading:
    """Chains of functions, and changes of their bases."""

    def __init__(self) -> None:
        self._queries = 0
        connection_created.connect(self._watch)
        self._pool = Pool(CORES)
        self._drainer = Drainer(self._pool, "cascades")
        self._author, self._voter = (User.objects.create_user(name) for name in ("ann", "bob"))
        self._values = 0

    def close(self) -> None:
        """End the worker."""
        self._drainer.close()

    def build(self, *, base: str, chains: int, length: int) -> None:
        """Define a base and chains on it, and judge all of them."""
        function = define_function(actor=self._author, name=base, signature="()")
        self._publish(function)
        for depth in range(length):
            names = [f"{base}C{chain}N{depth}" for chain in range(chains)]
            below = [f"{base}C{chain}N{depth - 1}" if depth else base for chain in range(chains)]
            self._define(names, below)
            # Level by level, as each implemented function causes elections of all its dependents.
            self._settle(names)
        made = Function.objects.filter(name__startswith=f"{base}C")
        used = count_usage()
        Usage.objects.filter(function=function).update(dependents=used[function.pk])
        Usage.objects.bulk_create(Usage(function=one, dependents=used[one.pk]) for one in made)
        if made.exclude(status=Function.Status.IMPLEMENTED).exists():
            raise ValueError("not all are implemented")

    def _settle(self, names: list[str]) -> None:
        made = Function.objects.filter(name__in=names).order_by("id")
        with transaction.atomic():
            enqueue_reconcile(made.values_list("id", flat=True), cause="made")
        self._drainer.drain()
        while not self.is_quiet():  # other workers may have claimed a part
            time.sleep(0.01)

    def change(self, *, base: str) -> Measured:
        """Publish another implementation of the base, which is elected; measure the cascade."""
        return self._measure(lambda: self._publish(Function.objects.get(name=base)))

    def begin(self, *, base: str) -> None:
        """Publish another implementation of the base; the site's workers execute the cascade."""
        self._publish(Function.objects.get(name=base))

    def is_quiet(self) -> bool:
        """Return whether the cascade has ended."""
        open_batches = Batch.objects.filter(state=BatchState.OPEN)
        return not (FollowUp.objects.exists() or open_batches.exists())

    def flip(self, *, base: str, value: int) -> Measured:
        """Vote so that the previous or the last implementation is elected."""
        works = Implementation.objects.filter(function__name=base)
        former = works.order_by("-number").select_related("function")[1]
        return self._measure(lambda: cast_vote(actor=self._voter, work=former, value=value))

    def run_bare(self, *, base: str) -> float:
        """Return the bare sandbox's seconds for the current programs of all dependents."""
        cells = Cell.objects.filter(implementation__function__name__startswith=f"{base}C")
        rows = Execution.objects.filter(key__in=cells.values("key")).values_list("key", "program")
        found = list(rows.order_by("id"))
        texts = read_sources({sha256 for _, made in found for _, sha256, _ in made["modules"]})
        programs = [build_program(bytes(key), made, texts) for key, made in found]
        started = time.perf_counter()
        for _, outcome in self._pool.map(enumerate(programs)):
            if not isinstance(outcome, Outcome) or outcome.verdict != Verdict.PASSED:
                raise ValueError(str(outcome))
        return time.perf_counter() - started

    def differences(self) -> list[str]:
        """Return all violations of the rules."""
        open_batches = Batch.objects.filter(state=BatchState.OPEN)
        return [*find_differences(), *(f"{batch} is open" for batch in open_batches)]

    def _measure(self, act: Callable[[], Any]) -> Measured:
        queries, executions = self._queries, Attempt.objects.count()
        started = time.perf_counter()
        act()
        self._drainer.drain()
        seconds = time.perf_counter() - started
        return Measured(seconds, self._queries - queries - 1, Attempt.objects.count() - executions)

    def _publish(self, function: Function) -> None:
        self._values += 1
        code = f"def {function.name}():\n    return {self._values}\n"
        draft = start_draft(actor=self._author, function=function, model=Implementation, code=code)
        publish(actor=self._author, draft=draft)

    def _define(self, names: list[str], below: list[str]) -> None:
        """Insert functions with one implementation each as rows; faster than publishing."""
        now = timezone.now()
        made = Function.objects.bulk_create(
            Function(name=name, name_key=name.lower(), owner=self._author) for name in names
        )
        targets = {function.name: function for function in Function.objects.filter(name__in=below)}
        works = Implementation.objects.bulk_create(
            Implementation(
                function=function,
                author=self._author,
                number=1,
                state=Work.State.PUBLISHED,
                published_at=now,
                code=(code := f"# <<{target}>>\ndef {function.name}():\n    return {target}()\n"),
                source_sha256=source_hash(code),
            )
            for function, target in zip(made, below, strict=True)
        )
        Dependency.objects.bulk_create(
            Dependency(
                implementation=work,
                name=target,
                name_key=target.lower(),
                target=targets[target],
            )
            for work, target in zip(works, below, strict=True)
        )

    def _watch(self, *, connection: Any, **_: Any) -> None:
        connection.execute_wrappers.append(self._count)

    def _count(self, execute: Callable[..., Any], *given: Any) -> Any:
        self._queries += 1
        return execute(*given)


def serve(handle: int) -> None:
    """Execute the tasks that come over this socket, until it is closed."""
    gc.freeze()  # as `manage.py worker` does
    cascading = Cascading()
    with Connection(handle) as pipe:
        try:
            while True:
                task, given = pipe.recv()
                pipe.send(getattr(cascading, task)(**given))
        except EOFError:
            cascading.close()
