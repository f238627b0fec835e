"""What a function's page is told when standings have changed."""

from typing import Any

from functions.contests import Contest
from functions.evaluation import cell_rows
from functions.meanings import Keys
from runner.outbox import append_event

# Beyond so many squares a page reads them itself.
MOST_CELLS_TOLD = 2_000


def announce(contest: Contest, rekeyed: Keys) -> None:
    """Tell the page how all stand, and which squares mean something else than before."""
    function = contest.function
    told: dict[str, Any] = {
        "function": function.pk,
        "status": function.status,
        "untested": function.untested,
        "judging": function.judging,
        "elected": function.elected_id,
        "implementations": [
            {
                "id": work.pk,
                "standing": work.standing,
                "passed": work.passed,
                "counting": work.counting,
                "score": work.score,
                "cpu_us": work.cpu_us,
            }
            for work in contest.implementations
        ],
        "tests": [
            {
                "id": test.pk,
                "health": test.health,
                "reason": test.reason,
                "counts": test.counts,
                "score": test.score,
            }
            for test in contest.tests
        ],
    }
    if len(rekeyed) <= MOST_CELLS_TOLD:
        told["cells"] = cell_rows(rekeyed)
    append_event(function.topic, "standing.changed", told)
