"""Cells of checks, from stored results and from runs."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from functions.contests.contest import Pair
from functions.source.comparison import comparison_of
from runner.calls import Run
from runner.models import Result
from runner.programs.storable import storable
from runner.sandbox import LogLine, Outcome

# Why a cell has no verdict.
BLOCKED = "blocked"  # something that its test uses is missing, or can't be run
TIME = "time"  # the check's time was up before it ended
BROKEN = "broken"  # the sandbox failed, which isn't the code's fault

# In JSON, of all cells of a check together: beyond, their logs are cut.
MAX_LOG_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCell:
    """An implementation with a test, one of which is the code that is checked, and so None.

    Without a verdict, `reason` tells why. `module` is where `line` is. `expected` and `actual` are
    the sides of the assertion that failed, if it compares two. `known`: it wasn't run.
    """

    implementation: int | None
    test: int | None
    verdict: str | None = None
    reason: str | None = None
    message: str = ""
    module: str = ""
    line: int | None = None
    expected: str | None = None
    actual: str | None = None
    log: Sequence[LogLine] = ()
    truncated: bool = False
    cpu_us: int | None = None
    known: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A pair of a check, the name of the test's module in its program, and of the function."""

    pair: Pair
    test_module: str
    subject: str

    def empty(self, reason: str) -> CheckedCell:
        """Return the cell without a verdict."""
        return replace(self._blank, reason=reason)

    def of_run(self, run: Run) -> CheckedCell:
        """Return the cell of a run that has just ended, or never did."""
        if not isinstance(run, Outcome):
            return self.empty(TIME if run is None else BROKEN)
        cases = [(case.name, str(case.verdict), case.message, case.line) for case in run.cases]
        cell = self._cell(str(run.verdict), run.message, run.trace, cases, run.module, run.line)
        log = [replace(line, ms=round(line.ms, 1), text=storable(line.text)) for line in run.log]
        return replace(cell, log=log, truncated=run.truncated, cpu_us=run.cpu_us)

    def of_result(self, result: Result) -> CheckedCell:
        """Return the cell of a stored result."""
        cell = self._cell(
            result.verdict, result.message, result.trace, result.cases, result.module, result.line
        )
        log = [LogLine(*line) for line in result.log]
        truncated, cpu_us = result.truncated, result.cpu_us
        return replace(cell, log=log, truncated=truncated, cpu_us=cpu_us, known=True)

    @property
    def _blank(self) -> CheckedCell:
        implementation, test = self.pair
        return CheckedCell(
            implementation=implementation if implementation > 0 else None,
            test=test if test and test > 0 else None,
        )

    def _cell(
        self,
        verdict: str,
        message: str,
        trace: Iterable[Sequence[Any]],
        cases: Iterable[Sequence[Any]],
        module: str | None,
        line: int | None,
    ) -> CheckedCell:
        in_test = [source for name, _, _, source in trace if name == self.test_module]
        sides = comparison_of(
            verdict, message, cases, assertion=in_test[-1] if in_test else "", subject=self.subject
        )
        return replace(
            self._blank,
            verdict=verdict,
            message=storable(message),
            module=storable(module or ""),
            line=line,
            expected=storable(sides.expected) if sides else None,
            actual=storable(sides.got) if sides else None,
        )


def cut_logs(cells: Iterable[CheckedCell]) -> list[CheckedCell]:
    """Return the cells, without what their logs have together beyond the limit."""
    left, cut = MAX_LOG_CHARACTERS, []
    for cell in cells:
        kept = []
        for line in cell.log:
            left -= len(json.dumps(line.text))
            if left < 0:
                break
            kept.append(line)
        is_whole = len(kept) == len(cell.log)
        cut.append(cell if is_whole else replace(cell, log=kept, truncated=True))
    return cut
