"""Rows as the use cases leave them, for tests of how they are shown."""

import hashlib
import itertools
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from functions.models import Cell, Dependency, Document, Function, Implementation, Test, Usage
from runner.models import Attempt, Batch, Execution, Result, Source, Task, Topic
from runner.programs.program import make_program
from runner.sandbox import Module
from runner.states import FINAL_STATES, BatchState, State

_count = itertools.count(1)
SINCE = datetime(2026, 1, 1, tzinfo=UTC)


def user(name: str = "", **fields: Any) -> User:
    return User.objects.create_user(name or f"user{next(_count)}", **fields)


def function(name: str = "", *, dependents: int = 0, **fields: Any) -> Function:
    name = name or f"Function{next(_count)}"
    owner = fields.pop("owner", None) or user()
    row = Function.objects.create(name=name, name_key=name.lower(), owner=owner, **fields)
    Usage.objects.create(function=row, dependents=dependents)
    return row


def implementation(of: Function, **fields: Any) -> Implementation:
    return Implementation.objects.create(function=of, **_published(fields))


def document(name: str, code: str, **fields: Any) -> Document:
    work = implementation(function(name, kind="document", **fields), code=code)
    elect(work)
    value = json.loads(code)
    rest = {"value": value, "expanded": value, "size": len(code), "depth": 1}
    return Document.objects.create(function=work.function, implementation=work, **rest)


def test_of(of: Function, **fields: Any) -> Test:
    standing = {"counts": True, "standing_cause": "early", "standing_since": SINCE}
    return Test.objects.create(function=of, **_published({**standing, **fields}))


test_of.__test__ = False  # type: ignore[attr-defined]  # pytest: not a test


def _published(fields: dict[str, Any]) -> dict[str, Any]:
    number = 1000 + next(_count)  # beyond what a use case gives out
    fields.setdefault("author", None)
    fields["author"] = fields["author"] or user()
    fields.setdefault("code", f"# number {number}\n")
    if fields.get("state") == "draft":
        return fields
    return {
        "state": "published",
        "number": number,
        "published_at": SINCE + timedelta(minutes=number),
        **fields,
    }


def dependency(of: Implementation | Test, name: str, target: Function | None) -> Dependency:
    return Dependency.objects.create(
        **{of.noun: of}, name=name, name_key=name.lower(), target=target
    )


def elect(winner: Implementation, **fields: Any) -> None:
    Function.objects.filter(pk=winner.function_id).update(
        elected=winner, status="implemented", **fields
    )


def cell(of: Implementation, test: Test | None, verdict: str = "", **fields: Any) -> Cell:
    key = fields.pop("key", digest(of.pk, test and test.pk))
    shown = {"verdict": verdict, "result_key": key} if verdict else {}
    return Cell.objects.create(implementation=of, test=test, key=key, **{**shown, **fields})


def digest(*parts: object) -> bytes:
    return hashlib.sha256(repr(parts).encode()).digest()


def execution(code: str = "", verdict: str = "passed", **fields: Any) -> Execution:
    """Make an execution of a program, with its result where a verdict is given."""
    code = code or f"x = {next(_count)}\n"
    program = make_program(modules=[Module("Unit", code)], entry="script", subject="Unit")
    for sha256, text in program.sources.items():
        Source.objects.get_or_create(sha256=sha256, defaults={"text": text})
    state = State.SUCCEEDED if verdict else State.PENDING
    row = Execution.objects.create(
        **{"key": program.key, "program": program.canonical, "state": state, **fields}
    )
    if verdict:
        Result.objects.create(
            execution=row,
            verdict=verdict,
            log=[[0.5, "out", "first"], [1.5, "out", "second"]],
            cpu_us=1000,
            wall_us=2000,
            peak_bytes=4096,
        )
    return row


def attempt(of: Execution, number: int, outcome: str, *, at: datetime, **fields: Any) -> Attempt:
    """Make an attempt that lasted a second, unless it still runs."""
    token = of.tries.count() + 1
    is_running = outcome == "running"
    row = Attempt.objects.create(
        execution=of,
        number=number,
        token=token,
        outcome="" if is_running else outcome,
        ended_at=None if is_running else at + timedelta(seconds=1),
        **fields,
    )
    Attempt.objects.filter(pk=row.pk).update(started_at=at)
    return row


def batch(topic: str, *executions: Execution, **fields: Any) -> Batch:
    row, _ = Topic.objects.get_or_create(name=topic)
    of = Batch.objects.create(topic=row, cause="a test", all_tasks_loaded=True, **fields)
    for wanted in executions:
        ended = datetime.now(UTC) if wanted.state in FINAL_STATES else None
        Task.objects.create(
            batch=of, execution=wanted, state=wanted.state, executed=True, finished_at=ended
        )
    if all(wanted.state == State.SUCCEEDED for wanted in executions):
        Batch.objects.filter(pk=of.pk).update(
            state=BatchState.COMPLETE, finished_at=datetime.now(UTC)
        )
        of.refresh_from_db()
    return of
