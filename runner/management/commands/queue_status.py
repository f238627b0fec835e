"""Reports what is waiting, running, failing and stuck."""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import redis
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, F, Max, Min, Q
from django.utils import timezone

from runner.analysis.client import is_analysis_available
from runner.models import Execution, FollowUp, Task, Ticket, TicketState
from runner.models.semaphore import OPEN_TICKETS
from runner.operations.health import (
    Health,
    Problem,
    collect_health,
    find_problems,
    last_line,
    recent_incidents,
)
from runner.pipelines.doorbell import QueueState, read_queue_state
from runner.states import OPEN_STATES, State

SHOWN = 20


@dataclass(frozen=True)
class Report:
    """The report; fields of a service that is down are None or empty."""

    postgresql: str
    redis: str
    checks: str
    bells: int | None
    workers: list[str] | None
    condition: Health | None
    owners: list[dict[str, Any]]
    running: list[dict[str, Any]]
    failing: list[dict[str, Any]]
    semaphores: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    stuck: list[Problem]


class Command(BaseCommand):
    """`manage.py queue_status`."""

    help = "Report what is waiting, running and stuck. Exits with 1 if anything is stuck."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *_args: Any, **options: Any) -> None:
        report = make_report()
        if options["json"]:
            self.stdout.write(json.dumps(_json_fields(report), default=str))
        else:
            self.stdout.write("\n".join(_lines(report)))
        if report.stuck:
            sys.exit(1)


def _json_fields(report: Report) -> dict[str, Any]:
    """Return the report with the field names of the JSON format."""
    stuck = [{"what": problem.description, "do": problem.remedy} for problem in report.stuck]
    return {**asdict(report), "stuck": stuck}


def make_report() -> Report:
    """Read PostgreSQL and Redis; the fields of one that is down are left out."""
    queue, redis_status = _queue()
    queue_fields: dict[str, Any] = {
        "checks": _checks(),
        "redis": redis_status,
        "bells": queue.bells if queue else None,
        "workers": queue.workers if queue else None,
    }
    try:
        condition = collect_health()
        stuck = find_problems(condition, workers=len(queue.workers) if queue else None)
        return Report(
            postgresql="answers",
            condition=condition,
            owners=_owners(),
            running=_running(),
            failing=_failing(),
            semaphores=_semaphores(),
            incidents=_incidents(),
            stuck=stuck,
            **queue_fields,
        )
    except (DatabaseError, InterfaceError) as error:
        away = Problem("PostgreSQL is away, so nothing runs", "start it, or correct DATABASE_URL")
        return Report(
            postgresql=f"is away: {last_line(str(error))}",
            condition=None,
            owners=[],
            running=[],
            failing=[],
            semaphores=[],
            incidents=[],
            stuck=[away],
            **queue_fields,
        )


def _checks() -> str:
    if is_analysis_available():
        return "answer"
    return "are away: start `manage.py callers` where a web server runs"


def _queue() -> tuple[QueueState | None, str]:
    try:
        return read_queue_state(), "answers"
    except redis.RedisError as error:
        return None, f"is away (workers poll instead): {error}"


def _owners() -> list[dict[str, Any]]:
    """Return the owners with most open tasks."""
    rows = Task.objects.filter(state__in=OPEN_STATES).values(owner=F("batch__owner"))
    numbers = {state.label: Count("pk", filter=Q(state=state)) for state in OPEN_STATES}
    counted = rows.annotate(open=Count("pk"), **numbers).order_by("-open")
    return [dict(row) for row in counted[:SHOWN]]


def _running() -> list[dict[str, Any]]:
    now = timezone.now()
    rows = Execution.objects.filter(state=State.IN_PROGRESS).order_by("leased_until")
    return [
        {
            "execution": row.pk,
            "key": bytes(row.key).hex()[:12],
            "owner": row.owner_id,
            "worker": row.worker,
            "attempt": row.attempts,
            "lease_left_seconds": round((row.leased_until - now).total_seconds(), 1),
        }
        for row in rows.defer("program")[:SHOWN]
        if row.leased_until
    ]


def _failing() -> list[dict[str, Any]]:
    now = timezone.now()
    return [
        {
            "name": row.name,
            "target": row.target,
            "attempts": row.attempts,
            "due_in_seconds": round((row.due_at - now).total_seconds(), 1) if row.due_at else None,
            "error": last_line(row.error),
        }
        for row in FollowUp.objects.filter(attempts__gt=0).order_by("due_at")[:SHOWN]
    ]


def _semaphores() -> list[dict[str, Any]]:
    rows = Ticket.objects.filter(state__in=OPEN_TICKETS).values("key")
    counted = rows.annotate(
        capacity=Max("capacity"),
        held=Count("pk", filter=Q(state=TicketState.HELD)),
        waiting=Count("pk", filter=Q(state=TicketState.WAITING)),
        waiting_since=Min("created_at", filter=Q(state=TicketState.WAITING)),
    )
    return [dict(row) for row in counted.order_by("-waiting", "key")[:SHOWN]]


def _incidents() -> list[dict[str, Any]]:
    rows = recent_incidents().order_by("-pk")[:SHOWN]
    return [
        {"kind": row.kind, "at": row.created_at, "detail": row.detail.partition("\n")[0]}
        for row in rows
    ]


def _lines(report: Report) -> Iterable[str]:
    yield f"PostgreSQL {report.postgresql}"
    yield f"Redis {report.redis}"
    yield f"Checks of source {report.checks}"
    if report.workers is not None:
        names = ", ".join(report.workers) or "none"
        yield f"Workers: {names}; waiting doorbell jobs: {report.bells}"
    if report.condition is not None:
        yield from _health_lines(report.condition)
    tables = (
        ("Open tasks by owner", report.owners),
        ("In progress, by the end of their lease", report.running),
        ("Follow-ups that fail", report.failing),
        ("Semaphores", report.semaphores),
        ("Incidents of the last day", report.incidents),
    )
    for title, rows in tables:
        if rows:
            yield f"\n{title}:"
            yield from (f"  {_pairs(row)}" for row in rows)
    yield ""
    if not report.stuck:
        yield "Nothing is stuck."
    for problem in report.stuck:
        yield f"STUCK: {problem.description}\n  -> {problem.remedy}"


def _health_lines(health: Health) -> Iterable[str]:
    yield f"Tasks: {_pairs(health.tasks)}; oldest pending {health.oldest_pending_seconds:.1f} s"
    yield (
        f"Executions: {health.ready} ready, {health.in_progress} in progress,"
        f" {health.leases_over} with an expired lease"
    )
    yield f"Open runs: {health.open_batches}"
    yield (
        f"Events not numbered: {health.unnumbered_events},"
        f" oldest {health.oldest_unnumbered_seconds:.1f} s"
    )
    yield (
        f"Follow-ups: {_pairs(health.follow_ups)};"
        f" oldest due {health.oldest_follow_up_seconds:.1f} s"
    )
    yield f"Updates not applied: {health.arrivals}, oldest {health.oldest_arrival_seconds:.1f} s"
    yield f"Tickets: {_pairs(health.tickets)}"
    yield f"Incidents of the last day: {_pairs(health.incidents) or 'none'}"


def _pairs(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in row.items())
