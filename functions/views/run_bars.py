"""Progress bars of runs: results of tasks, in the order of the legend."""

from functions.read_models.runs import Progress
from functions.views.labels import LOOKS
from functions.views.results_panel import Segment
from runner.states import State

# Tasks without a verdict are grey; open ones are the bar's background.
STATES = ("passed", "failed", "error", "timeout", "broken", "running")


def counts_of(progress: Progress) -> dict[str, int]:
    """Return the number of a run's tasks by state."""
    counts = dict.fromkeys(STATES, 0)
    for verdict, count in progress.verdicts.items():
        counts[LOOKS[verdict].state] += count
    counts["broken"] += progress.unmade
    counts["running"] += progress.tasks[State.IN_PROGRESS.label]
    return counts


def segments(progress: Progress) -> list[Segment]:
    """Return the segments of the bar."""
    x, parts = 0.0, []
    for state, count in counts_of(progress).items():
        width = 100 * count / (progress.total or 1)
        parts.append(Segment(state, f"{x:.2f}%", f"{width:.2f}%"))
        x += width
    return parts
