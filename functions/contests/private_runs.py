"""What is run for somebody alone, a draft or a preview, may be what squares mean that all see."""

from collections.abc import Sequence

from functions.contests.evaluation import record_verdicts
from functions.models import Cell
from runner.registry import FinishedTask
from runner.states import State

RECORDER = "functions.drafts"
CAUSE = "a program was run once more"


def record_elsewhere(finished: Sequence[FinishedTask]) -> None:
    """Fill the squares that mean these programs and say something else; a recorder.

    Mostly there are none. They may have been given up, or the program has another result by now.
    Whose run it was is nobody's business.
    """
    ended = {task.key: task for task in finished if task.state == State.SUCCEEDED}
    squares = Cell.objects.filter(key__in=list(ended))
    said = squares.values_list("key", "result_key", "verdict", "given_up")
    if any(
        given_up or (key, verdict) != (result_key, ended[bytes(key)].verdict)
        for key, result_key, verdict, given_up in said
        if key is not None
    ):
        record_verdicts(list(ended.values()), cause=CAUSE)
