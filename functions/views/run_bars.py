"""How far a run is, as a bar: what its programs said, in the order of the legend."""

from functions.read_models.runs import Progress
from functions.views.labels import LOOKS
from functions.views.results_panel import Segment
from runner.states import State

# What ended without a verdict is grey; what has not ended is the bar's ground.
STATES = ("passed", "failed", "error", "timeout", "broken", "running")


def counts_of(progress: Progress) -> dict[str, int]:
    """Return how many of a run's programs look how."""
    counts = dict.fromkeys(STATES, 0)
    for verdict, count in progress.verdicts.items():
        counts[LOOKS[verdict].state] += count
    counts["broken"] += progress.unmade
    counts["running"] += progress.tasks[State.IN_PROGRESS.label]
    return counts


def segments(progress: Progress) -> list[Segment]:
    """Return the bar's parts, each after the other."""
    x, parts = 0.0, []
    for state, count in counts_of(progress).items():
        width = 100 * count / (progress.total or 1)
        parts.append(Segment(state, f"{x:.2f}%", f"{width:.2f}%"))
        x += width
    return parts
