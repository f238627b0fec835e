"""Verdicts as people see them."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from socialcode_client.models import CheckedCell, Function, Implementation, LogLine, Test

# A sign and a colour for each verdict; a colour alone would not do.
LOOKS: Mapping[str | None, tuple[str, str]] = {
    "passed": ("✓ passed", "green"),
    "failed": ("✗ failed", "red"),
    "error": ("! error", "red"),
    "time_limit": ("⧖ time limit", "yellow"),
    "memory_limit": ("▲ memory limit", "yellow"),
    "output_limit": ("▲ output limit", "yellow"),
    "policy": ("⊘ policy", "magenta"),
    "crashed": ("! crashed", "red"),
    "flaky": ("~ flaky", "yellow"),
    "running": ("… running", "cyan"),
    None: ("· unknown", "dim"),
}


def shown(verdict: str | None) -> Text:
    """Return a verdict with its sign and colour."""
    sign, style = LOOKS.get(verdict, (str(verdict), "default"))
    return Text(sign, style=style)


def name_of(work: Implementation | Test) -> str:
    """Return a work's number, title and author."""
    return f"{work.label} {work.title or ''}".strip() + f" by {work.author}"


def matrix(
    function: Function, verdicts: Mapping[tuple[int, int], str | None] | None = None
) -> Table:
    """Return a function's implementations against its tests."""
    known = verdicts if verdicts is not None else verdicts_of(function)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("test", overflow="fold")
    for one in function.implementations:
        mark = " ★" if one.id == function.elected else ""
        table.add_column(f"{one.label}{mark}\n[dim]{escape(one.author)}[/]", no_wrap=True)
    for test in function.tests:
        label = Text(name_of(test), style="" if test.counts else "dim")
        cells = [
            shown(known.get((one.id, test.id))) if (one.id, test.id) in known else Text("")
            for one in function.implementations
        ]
        table.add_row(label, *cells)
    return table


def verdicts_of(function: Function) -> dict[tuple[int, int], str | None]:
    """Return the verdicts of a function's cells."""
    return {(cell.implementation, cell.test): cell.verdict for cell in function.cells}


class Opponents:
    """The opponents of a work: a function's tests, or its implementations."""

    def __init__(self, function: Function) -> None:
        self._names = {
            "test": {one.id: f"test {name_of(one)}" for one in function.tests},
            "implementation": {one.id: name_of(one) for one in function.implementations},
        }
        self._counting = {one.id for one in function.tests if one.counts}
        self._elected = function.elected

    def label(self, test: int | None, implementation: int | None, kind: str) -> str:
        """Return what a work of this kind has met."""
        if kind == "implementation":
            return self._names["test"].get(test or 0, f"test {test}") if test else "loading it"
        if implementation is None:
            return "loading it"
        return self._names["implementation"].get(implementation, str(implementation))

    def decides(self, test: int | None, implementation: int | None, kind: str) -> bool:
        """Tell whether a work is to pass here: tests that count, or the current implementation."""
        if kind == "implementation":
            return test is None or test in self._counting
        return implementation in (None, self._elected)


def checked(
    cells: Sequence[CheckedCell], label: Callable[[CheckedCell], str], *, with_log: bool
) -> RenderableType:
    """Return what unsaved code gave, a line for each pair."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("against", "verdict", "line", "message"):
        table.add_column(column, overflow="fold")
    logs: list[RenderableType] = []
    for cell in cells:
        line = str(cell.line) if cell.line else ""
        where = f"{cell.module}:{line}" if cell.module and line else line
        table.add_row(escape(label(cell)), shown(cell.verdict), where, escape(_message(cell)))
        if with_log and cell.log:
            logs += [Text(f"\n{label(cell)}", style="bold"), log_text(cell.log)]
    return Group(table, *logs)


def _message(cell: CheckedCell) -> str:
    lines = [cell.message or cell.reason or ""]
    if cell.expected is not None and cell.actual is not None:
        lines += [f"expected  {cell.expected}", f"actual    {cell.actual}"]
    return "\n".join(line for line in lines if line)


def log_text(lines: Sequence[LogLine]) -> Text:
    """Return the lines of a log, each with its time."""
    text = Text()
    for line in lines:
        text.append(f"{line.ms:9.1f} ms  ", style="dim")
        text.append(f"{line.text}\n", style="red" if line.stream == "err" else "")
    return text


def value_text(value: Any) -> str:
    """Return a value as JSON, short ones on one line."""
    short = json.dumps(value, ensure_ascii=False)
    return short if len(short) <= 100 else json.dumps(value, ensure_ascii=False, indent=2)
