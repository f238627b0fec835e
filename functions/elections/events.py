"""What functions' pages are told when standings have changed."""

from collections.abc import Iterable
from typing import Any

from functions.contests.contest import Contest
from functions.contests.evaluation import cell_rows
from functions.contests.programs import Keys
from functions.models import Function
from runner.pipelines.outbox import append_topic_events

# Beyond so many squares a page reads them itself.
MOST_CELLS_TOLD = 2_000


def announce(contests: Iterable[tuple[Contest, Keys]]) -> None:
    """Tell each page how all stand, and which squares mean something else than before."""
    append_topic_events(
        [
            (contest.function.topic, "standing.changed", _told(contest, rekeyed))
            for contest, rekeyed in contests
        ]
    )


def _told(contest: Contest, rekeyed: Keys) -> dict[str, Any]:
    function = contest.function
    told: dict[str, Any] = {
        "function": function.pk,
        "status": function.status,
        "untested": function.untested,
        "judging": function.judging,
        "elected": function.elected_id,
        "unsettled": _chased(function),
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
                "acceptable": test.is_acceptable,
                "challenge": test.is_challenge,
                "standing_cause": test.standing_cause or None,
                "standing_since": test.standing_since and test.standing_since.isoformat(),
                "score": test.score,
            }
            for test in contest.tests
        ],
    }
    if len(rekeyed) <= MOST_CELLS_TOLD:
        told["cells"] = cell_rows(rekeyed)
    return told


def _chased(function: Function) -> list[str] | None:
    """Return with whom its elections chase each other, if they do."""
    return function.chase.others(function.name) if function.chase else None
