"""How long a fault was noticed: the table, and figures as JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.report import Figure, write
from chaos.rounds import Row

COLUMNS = ("verdict", "write", "event", "call", "runs", "lost", "doubled", "wrong")


@dataclass
class HostRow(Row):
    """The results of one fault; seconds are the longest of all rounds.

    `verdict`, `write` and `call`: the longest pause, of verdicts together, of any one user's
    acknowledged writes, of any one user's calls. `event`: how long some client lagged behind the
    log. `runs`: until all batches had ended that were open at the fault. The short round, whose
    faults overlap, measures nothing.
    """

    verdict: float | None = None
    write: float | None = None
    event: float | None = None
    call: float | None = None
    runs: float | None = None

    def take(self, **seconds: float) -> None:
        """Keep these durations where they are the longest ones."""
        for name, value in seconds.items():
            setattr(self, name, max(value, getattr(self, name) or 0.0))


def longest_pause(times: Iterable[float], began: float, ended: float) -> float:
    """Return the longest time without any of these, within a period."""
    within = [began, *(at for at in times if began < at < ended), ended]
    return max(after - before for before, after in pairwise(within))


def report(rows: Sequence[HostRow]) -> None:
    """Print the table of the results."""
    lines: list[tuple[str, ...]] = [("fault", "injected", "struck", *COLUMNS)]
    for row in rows:
        seconds = (row.verdict, row.write, row.event, row.call, row.runs)
        counts = (row.lost, row.duplicated, row.wrong)
        cells = (*("" if n is None else f"{n:.1f} s" for n in seconds), *map(str, counts))
        lines.append((row.fault, str(row.injected), str(row.struck), *cells))
    total = (sum(row.injected for row in rows), sum(row.struck for row in rows))
    lines.append(("all", *map(str, total)))
    widths = [max(len(line[place]) for line in lines[:-1]) for place in range(len(lines[0]))]
    for first, *others in lines:
        aligned = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=False)]
        print("  ".join([first.ljust(widths[0]), *aligned]).rstrip())


def write_figures(rows: Sequence[HostRow]) -> None:
    """Write the results as JSON."""
    write("chaos-hosts", [figure for row in rows for figure in _figures(row)])


def _figures(row: HostRow) -> list[Figure]:
    names = {"verdict": "next verdict", "write": "next acknowledged write", "call": "next call"}
    names |= {"event": "streams level", "runs": "open runs ended"}
    seconds = [
        Figure(f"{row.fault}: {text}", getattr(row, name), "s", runs=row.injected)
        for name, text in names.items()
    ]
    counts = {"lost": row.lost, "doubled": row.duplicated, "wrong": row.wrong}
    return seconds + [
        Figure(f"{row.fault}: {name}", count, "", "== 0") for name, count in counts.items()
    ]
