"""Documents that link one document, which changes, with one worker in this process.

Needs Django set up with the environment of a private site.
"""

from __future__ import annotations

import time

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from functions.authoring import define_function, publish, start_draft
from functions.contests.evaluation import enqueue_reconcile
from functions.kinds import KINDS
from functions.maintenance.verification import find_differences
from functions.models import Dependency, Document, Function, Implementation, Usage, Work
from runner.models import Attempt, Batch, FollowUp
from runner.programs.program import source_hash
from runner.sandbox import Pool
from runner.states import BatchState
from runner.workers.drainer import Drainer

CORES = 2
AT_ONCE = 1_000
BARE = """
    UPDATE functions_document SET changed_at = now(),
        expanded = jsonb_set(expanded, '{target,value}', %s) WHERE function_id = %s
"""


class Linking:
    """Targets, each with documents that link it."""

    def __init__(self) -> None:
        self._drainer = Drainer(Pool(CORES), "documents")
        self._author = User.objects.create_user("ann")
        self._values = 0

    def close(self) -> None:
        """End the worker."""
        self._drainer.close()

    def build(self, target: str, count: int) -> None:
        """Define a target and documents that link it, and judge all of them."""
        function = define_function(actor=self._author, name=target, kind="document")
        self._publish(function)
        self._drainer.drain()
        for start in range(0, count, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, count))
            ids = self._define(function, [f"{target}N{number}" for number in numbers])
            with transaction.atomic():
                enqueue_reconcile(ids, cause="made")
            self._drain()
        if Document.objects.filter(function__name__startswith=f"{target}N").count() != count:
            raise ValueError("not all documents are current")

    def change(self, target: str) -> tuple[float, float, int]:
        """Change a target; return the seconds of the writer, of all, and the executions."""
        executions = Attempt.objects.count()
        started = time.perf_counter()
        self._publish(Function.objects.get(name=target))
        written = time.perf_counter() - started
        self._drain()
        seconds = time.perf_counter() - started
        fresh = Document.objects.filter(
            function__name__startswith=f"{target}N", expanded__target__value=self._values
        )
        linking = Document.objects.filter(function__name__startswith=f"{target}N")
        if fresh.count() != linking.count():
            raise ValueError("a document is stale")
        return written, seconds, Attempt.objects.count() - executions

    def update_bare(self, target: str, count: int) -> float:
        """Return the seconds to update so many linking documents, one in a transaction each."""
        ids = Document.objects.filter(function__name__startswith=f"{target}N")
        chosen = list(ids.values_list("pk", flat=True)[:count])
        started = time.perf_counter()
        with connection.cursor() as cursor:
            for pk in chosen:
                cursor.execute(BARE, ["0", pk])
        return time.perf_counter() - started

    def differences(self) -> list[str]:
        """Return all violations of the rules."""
        return list(find_differences())

    def _drain(self) -> None:
        self._drainer.drain()
        open_batches = Batch.objects.filter(state=BatchState.OPEN)
        while FollowUp.objects.exists() or open_batches.exists():
            self._drainer.drain()

    def _publish(self, function: Function) -> None:
        self._values += 1
        code = f'{{"value": {self._values}}}'
        draft = start_draft(actor=self._author, function=function, model=Implementation, code=code)
        publish(actor=self._author, draft=draft)

    def _define(self, target: Function, names: list[str]) -> list[int]:
        """Insert documents as rows, as published ones; faster than publishing."""
        now = timezone.now()
        made = Function.objects.bulk_create(
            Function(name=name, name_key=name.lower(), owner=self._author, kind="document")
            for name in names
        )
        works = []
        for number, function in enumerate(made):
            code = f'{{"target": {{"key": "{target.name}"}}, "number": {number}}}'
            module = KINDS["document"].generate_module(function.name, code)
            works.append(
                Implementation(
                    function=function,
                    author=self._author,
                    number=1,
                    state=Work.State.PUBLISHED,
                    published_at=now,
                    code=code,
                    generated=module,
                    source_sha256=source_hash(module),
                )
            )
        Dependency.objects.bulk_create(
            Dependency(
                implementation=work,
                name=target.name,
                name_key=target.name_key,
                target=target,
                is_optional=True,
            )
            for work in Implementation.objects.bulk_create(works)
        )
        Usage.objects.bulk_create(Usage(function=function) for function in made)
        Usage.objects.filter(function=target).update(dependents=F("dependents") + len(made))
        return [function.pk for function in made]
