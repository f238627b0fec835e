"""Serializers from read models to response schemas."""

from typing import Any

from functions.api.schemas import (
    AttemptShown,
    BatchShown,
    CellShown,
    FunctionShort,
    FunctionWhole,
    ImplementationShown,
    LinkShown,
    LogLineShown,
    ModuleNamed,
    ResultShown,
    TaskCounts,
    TaskShort,
    TaskShown,
    TestShown,
    UnsettledShown,
    VerdictCounts,
)
from functions.models import Function
from functions.read_models import (
    FunctionLink,
    FunctionPage,
    ImplementationCard,
    ResultPage,
    RunRow,
    TaskRow,
    TestCard,
    Unsettled,
    WorkCard,
)


def function_short(function: Function, owner: str) -> FunctionShort:
    """Return a function's short form, for lists."""
    return FunctionShort(**_function_fields(function, owner))


def function_whole(page: FunctionPage) -> FunctionWhole:
    """Return a function's full form."""
    return FunctionWhole(
        **_function_fields(page.function, page.owner),
        judging=page.function.judging,
        unsettled=_unsettled(page.unsettled),
        offered_to=page.offered_to or None,
        depends_on=[_link(link) for link in page.depends_on],
        depended_on_by=[_link(link) for link in page.depended_on_by],
        implementations=[implementation_shown(card) for card in page.implementations],
        tests=[test_shown(card) for card in page.tests],
        cells=[
            CellShown(
                implementation=cell.implementation,
                test=cell.test,
                verdict=cell.verdict,
                key=cell.key,
                current=cell.is_current,
            )
            for cell in page.cells.values()
            if cell.test is not None
        ],
        topic=page.topic,
        epoch=page.epoch,
        seq=page.seq,
    )


def _unsettled(seen: Unsettled | None) -> UnsettledShown | None:
    if seen is None:
        return None
    tests = [test.id for test in seen.tests]
    return UnsettledShown({"with": list(seen.others), "tests": tests})


def implementation_shown(card: ImplementationCard) -> ImplementationShown:
    """Return an implementation."""
    return ImplementationShown(
        **_work_fields(card),
        standing=card.standing,
        reason=card.reason,
        passed=card.passed,
        counting=card.counting,
        cpu_us=card.cpu_us,
    )


def test_shown(card: TestCard) -> TestShown:
    """Return a test."""
    return TestShown(
        **_work_fields(card),
        health=card.health,
        reason=card.reason,
        counts=card.counts,
        challenge=card.challenge,
        standing_cause=card.standing_cause or None,
        standing_since=card.standing_since,
    )


def work_shown(card: ImplementationCard | TestCard) -> ImplementationShown | TestShown:
    """Return an implementation or a test."""
    if isinstance(card, ImplementationCard):
        return implementation_shown(card)
    return test_shown(card)


def batch_shown(row: RunRow) -> BatchShown:
    """Return a batch."""
    progress = row.progress
    return BatchShown(
        id=progress.id,
        cause=progress.cause,
        state=progress.state,
        all_tasks_loaded=progress.all_tasks_loaded,
        total=progress.total,
        tasks=TaskCounts(**progress.tasks),
        verdicts=VerdictCounts(**progress.verdicts),
        parent=progress.parent,
        created_at=progress.created_at,
        finished_at=progress.finished_at,
        executed=progress.executed,
        function=row.subject.name or None,
        owner=row.owner,
        private=row.private,
    )


def task_short(row: TaskRow) -> TaskShort:
    """Return a task's short form, for lists."""
    return TaskShort(**_task_fields(row))


def task_shown(row: TaskRow) -> TaskShown:
    """Return a task with its attempts."""
    tries = [
        AttemptShown(
            number=one.number,
            outcome=one.outcome,
            error=one.error,
            worker=one.worker,
            started_at=one.started_at,
            ended_at=one.ended_at,
        )
        for one in row.tries
    ]
    return TaskShown(**_task_fields(row), tries=tries)


def result_shown(page: ResultPage) -> ResultShown:
    """Return a run record."""
    return ResultShown(
        key=page.key,
        verdict=page.verdict,
        message=page.message,
        module=page.module,
        line=page.line,
        log=[LogLineShown(ms=ms, stream=stream, text=text) for ms, stream, text in page.log],
        truncated=page.truncated,
        cpu_us=page.cpu_us,
        wall_us=page.wall_us,
        peak_bytes=page.peak_bytes,
        attempt=page.attempt,
        modules=[ModuleNamed(name=module.name, sha256=module.sha256) for module in page.modules],
        created_at=page.created_at,
    )


def _link(link: FunctionLink) -> LinkShown:
    return LinkShown(name=link.name, status=link.status)


def _function_fields(function: Function, owner: str) -> dict[str, Any]:
    return {
        "name": function.name,
        "kind": function.kind,
        "language": function.language,
        "signature": function.signature,
        "description": function.description,
        "owner": owner,
        "status": function.status,
        "untested": function.untested,
        "elected": function.elected_id,
        "circle": function.circle,
        "archived": function.archived_at is not None,
    }


def _task_fields(row: TaskRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "batch": row.batch,
        "key": row.key,
        "state": row.state,
        "verdict": row.verdict,
        "message": row.message,
        "line": row.line,
        "implementation": row.implementation.id if row.implementation else None,
        "test": row.test.id if row.test else None,
        "executed": row.executed,
        "attempts": row.attempts,
        "worker": row.worker,
        "cpu_us": row.cpu_us,
        "wall_us": row.wall_us,
        "queued_at": row.queued_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "run_again_at": row.run_again_at,
    }


def _work_fields(card: WorkCard) -> dict[str, Any]:
    return {
        "id": card.id,
        "function": card.function,
        "author": card.author,
        "title": card.title,
        "code": card.code,
        "state": card.state,
        "number": card.number,
        "version": card.version,
        "based_on": card.based_on.id if card.based_on else None,
        "published_at": card.published_at,
        "score": card.score,
        "acceptable": card.acceptable,
        "owner_verdict": card.owner_verdict,
        "depends_on": [link.name for link in card.depends_on],
    }
