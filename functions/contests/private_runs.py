"""Records results of private runs (drafts and previews) in public cells of the same programs."""

from collections.abc import Sequence

from functions.contests.evaluation import record_verdicts
from functions.models import Cell
from runner.registry import FinishedTask
from runner.states import State

RECORDER = "functions.drafts"
CAUSE = "a program was run once more"


def record_private_runs(finished: Sequence[FinishedTask]) -> None:
    """Update public cells of these programs that have no or another result; a recorder.

    There are few: cells that were given up, and programs whose result has changed. The elections
    don't name the run, as it is private.
    """
    ended = {task.key: task for task in finished if task.state == State.SUCCEEDED}
    cells = Cell.objects.filter(key__in=list(ended))
    shown = cells.values_list("key", "result_key", "verdict", "given_up")
    if any(
        given_up or (key, verdict) != (result_key, ended[bytes(key)].verdict)
        for key, result_key, verdict, given_up in shown
        if key is not None
    ):
        record_verdicts(list(ended.values()), cause=CAUSE)
