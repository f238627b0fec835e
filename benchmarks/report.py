"""Figures of a benchmark: compared with goals, printed as a table, written as JSON."""

from __future__ import annotations

import json
import math
import operator
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

OUT = Path(__file__).resolve().parent / "out"

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One number; `goal` is a comparison such as "<= 2.5", or "" if there is none."""

    name: str
    value: float
    unit: str
    goal: str = ""
    runs: int = 1
    spread: float = 0.0

    @property
    def holds(self) -> bool | None:
        """Whether the goal is met; None without a goal."""
        if not self.goal:
            return None
        comparison, bound = self.goal.split()
        return math.isfinite(self.value) and _COMPARISONS[comparison](self.value, float(bound))


def spread(samples: Sequence[float]) -> float:
    """Return the interquartile range over the median: with 0.1, half lie within 10 %."""
    if len(samples) < 2:
        return 0.0
    low, median, high = statistics.quantiles(samples, n=4)
    return (high - low) / median if median else 0.0


def report(name: str, figures: Sequence[Figure]) -> bool:
    """Print the table and write `benchmarks/out/<name>.json`; return whether all goals are met."""
    write(name, figures)
    print(table(figures))
    return all(figure.holds is not False for figure in figures)


def write(name: str, figures: Sequence[Figure]) -> None:
    """Write `benchmarks/out/<name>.json`."""
    rows = [
        {
            "name": figure.name,
            "value": round(figure.value, 6) if math.isfinite(figure.value) else None,
            "unit": figure.unit,
            "goal": figure.goal,
            "holds": figure.holds,
            "runs": figure.runs,
            "spread": round(figure.spread, 4),
        }
        for figure in figures
    ]
    OUT.mkdir(parents=True, exist_ok=True)
    target = OUT / f"{name}.json"
    target.write_text(json.dumps({"figures": rows}, indent=1) + "\n", encoding="utf-8")


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as aligned text."""
    verdicts = {True: "holds", False: "MISSED", None: ""}
    lines = [("figure", "value", "unit", "goal", "", "runs", "spread")]
    for figure in figures:
        value = f"{figure.value:.3g}" if abs(figure.value) < 1000 else f"{figure.value:.0f}"
        lines.append(
            (
                figure.name,
                value,
                figure.unit,
                figure.goal,
                verdicts[figure.holds],
                str(figure.runs),
                f"{figure.spread:.0%}",
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    rows = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return "\n".join(rows)
