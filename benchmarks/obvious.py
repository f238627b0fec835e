"""The obvious design: an RQ job per task, and all queries by the ORM.

It uses our sandbox, with pools kept as long as possible: RQ's default worker forks for each job,
and a pool belongs to its process. Needs Django set up.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar, Self

from django.db import connection, models, transaction
from django.utils import timezone
from redis import Redis
from rq import Queue, SimpleWorker, Worker
from rq.serializers import JSONSerializer

from runner.programs.program import PreparedProgram, build_program
from runner.sandbox import Outcome, Pool, Program, Verdict

_OWN_SANDBOX, _NO_SANDBOX = "forking", "forking-free"


class Batch(models.Model):
    """A request and its progress."""

    objects: ClassVar[models.Manager[Self]] = models.Manager()
    total = models.IntegerField()
    done = models.IntegerField(default=0)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "obvious"

    def __str__(self) -> str:
        return f"{self.done} of {self.total}"


class Task(models.Model):
    """A program to execute, and its result."""

    objects: ClassVar[models.Manager[Self]] = models.Manager()
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="tasks")
    batch_id: int
    key = models.BinaryField()
    program = models.JSONField()
    sources = models.JSONField()
    state = models.CharField(max_length=12, default="pending")
    verdict = models.CharField(max_length=16, default="")
    message = models.TextField(default="")
    log = models.JSONField(default=list)
    cpu_us = models.BigIntegerField(null=True)
    wall_us = models.BigIntegerField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "obvious"
        indexes = [models.Index(name="obvious_of_batch", fields=["batch", "state"])]

    def __str__(self) -> str:
        return f"{self.batch_id}: {self.state}"


_pool: Pool | None = None


def run_task(task_id: int, design: str) -> None:
    """Execute one task, record its result, and complete its batch if it was the last: one job."""
    task = Task.objects.get(pk=task_id)
    task.state = "running"
    task.save(update_fields=["state"])
    outcome = _run(build_program(bytes(task.key), task.program, task.sources), design)
    task.state = "done"
    task.verdict, task.message = outcome.verdict, outcome.message
    task.log = [[line.ms, line.stream, line.text] for line in outcome.log]
    task.cpu_us, task.wall_us = outcome.cpu_us, outcome.wall_us
    task.finished_at = timezone.now()
    if design == "locking":
        with transaction.atomic():
            task.save()
            batch = Batch.objects.select_for_update().get(pk=task.batch_id)
            batch.done += 1
            if batch.done == batch.total:
                batch.finished_at = timezone.now()
            batch.save()
    else:
        task.save()
        if not Task.objects.filter(batch=task.batch_id).exclude(state="done").exists():
            Batch.objects.filter(pk=task.batch_id).update(finished_at=timezone.now())


def _run(program: Program, design: str) -> Outcome:
    global _pool  # noqa: PLW0603 - one per worker
    if design == _NO_SANDBOX:
        return Outcome(Verdict.PASSED)
    if design == _OWN_SANDBOX:
        with Pool(1) as pool:
            return pool.run(program)
    _pool = _pool or Pool(1)
    return _pool.run(program)


def create_tables() -> None:
    """Create the tables of this design."""
    with connection.schema_editor() as editor:
        editor.create_model(Batch)
        editor.create_model(Task)


def submit(programs: Sequence[PreparedProgram], design: str) -> Batch:
    """Store a batch with its tasks and enqueue a job for each."""
    with transaction.atomic():
        batch = Batch.objects.create(total=len(programs))
        tasks = Task.objects.bulk_create(
            Task(
                batch=batch,
                key=program.key,
                program=program.canonical,
                sources={sha256.hex(): text for sha256, text in program.sources.items()},
            )
            for program in programs
        )
    queue = _queue(design)
    for task in tasks:
        queue.enqueue(run_task, task.pk, design)
    return batch


def work(design: str) -> None:
    """Serve the queue of this design until terminated."""
    queue = _queue(design)
    kind = Worker if design in {_OWN_SANDBOX, _NO_SANDBOX} else SimpleWorker
    kind([queue], connection=queue.connection, serializer=JSONSerializer).work(
        logging_level="WARNING"
    )


def _queue(design: str) -> Queue:
    redis = Redis.from_url(os.environ["REDIS_URL"])
    return Queue(f"obvious-{design}", connection=redis, serializer=JSONSerializer)
