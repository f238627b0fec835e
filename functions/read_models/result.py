"""The read model of a result's page: the program and its result."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from functions.models import AcceptanceTest, Cell
from functions.permissions import may_repeat
from functions.read_models.acceptance import acceptance_tests_of
from functions.read_models.snapshot import snapshot
from runner.models import Execution, Result, Source, Task
from runner.registry import Actor

KEY_LENGTH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleShown:
    """A module of the program, with its source."""

    name: str
    sha256: str
    text: str
    binds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """A program's result; `trace`, `cases` and `log` as in `runner.models.Result`."""

    key: str
    subject: str  # name of the module that is tested or called
    test_module: str  # name of the test's module, or empty
    verdict: str
    message: str
    module: str
    line: int | None
    trace: list[list[Any]]
    cases: list[list[Any]]
    log: list[list[Any]]
    truncated: bool
    cpu_us: int
    wall_us: int
    peak_bytes: int
    attempt: int
    created_at: datetime
    runtime: str
    modules: tuple[ModuleShown, ...]
    cells: tuple[Cell, ...]  # cells with this program
    acceptance: tuple[AcceptanceTest, ...]  # acceptance tests with this program
    may_run_again: bool


def whole_key(beginning: str) -> str | None:
    """Return the key of the one program whose key begins so, in hexadecimal."""
    digits = 64 - len(beginning)
    first, last = (bytes.fromhex(beginning + digit * digits) for digit in "0f")
    found = Execution.objects.filter(key__gte=first, key__lte=last).values_list("key", flat=True)
    keys = list(found[:2])
    return bytes(keys[0]).hex() if len(keys) == 1 else None


def result_page(key: str, actor: Actor) -> ResultPage | None:
    """Return the result of a program, by its hexadecimal key, if the reader may see it.

    It is public if a public batch has requested it; otherwise only batch owners see it.
    """
    program_key = read_key(key)
    if program_key is None:
        return None
    with snapshot():
        result = (
            Result.objects.select_related("execution").filter(execution__key=program_key).first()
        )
        if result is None or not _may_see(result, actor):
            return None
        cells = Cell.objects.filter(key=program_key).select_related(
            "implementation__function", "test"
        )
        return _page(result, tuple(cells.order_by("id")), may_repeat(actor, program_key))


def read_key(text: str) -> bytes | None:
    """Parse a hexadecimal key; None if it is invalid."""
    if len(text) != KEY_LENGTH or not text.isascii():
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def _may_see(result: Result, actor: Actor) -> bool:
    seen = Q(batch__private=False)
    if actor.pk is not None:
        seen |= Q(batch__owner=actor.pk)
    return Task.objects.filter(seen, execution=result.execution_id).exists()


def _page(result: Result, cells: tuple[Cell, ...], may_run_again: bool) -> ResultPage:
    program = result.execution.program
    return ResultPage(
        key=bytes(result.execution.key).hex(),
        subject=program["subject"],
        test_module=program["modules"][-1][0] if program["entry"] == "test" else "",
        verdict=result.verdict,
        message=result.message,
        module=result.module,
        line=result.line,
        trace=result.trace,
        cases=result.cases,
        log=result.log,
        truncated=result.truncated,
        cpu_us=result.cpu_us,
        wall_us=result.wall_us,
        peak_bytes=result.peak_bytes,
        attempt=result.attempt,
        created_at=result.created_at,
        runtime=program["runtime"],
        modules=_modules(program),
        cells=cells,
        acceptance=tuple(acceptance_tests_of([bytes(result.execution.key)])),
        may_run_again=may_run_again,
    )


def _modules(program: dict[str, Any]) -> tuple[ModuleShown, ...]:
    modules = program["modules"]
    sources = Source.objects.filter(sha256__in=[bytes.fromhex(sha256) for _, sha256, _ in modules])
    texts = {bytes(source.sha256).hex(): source.text for source in sources}
    return tuple(
        ModuleShown(name=name, sha256=sha256, text=texts[sha256], binds=tuple(binds))
        for name, sha256, binds in modules
    )
