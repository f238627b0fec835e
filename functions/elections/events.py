"""Publishes changed standings to functions' pages."""

from collections.abc import Iterable
from typing import Any

from functions.contests.contest import Contest
from functions.contests.evaluation import cell_rows
from functions.contests.programs import Keys
from functions.models import Function
from runner.pipelines.outbox import append_topic_events

# With more cells than this, pages reload them.
MAX_CELLS_IN_EVENT = 2_000


def publish_standings(contests: Iterable[tuple[Contest, Keys]]) -> None:
    """Publish all standings of each function, and the cells whose program changed."""
    append_topic_events(
        [
            (contest.function.topic, "standing.changed", _payload(contest, rekeyed))
            for contest, rekeyed in contests
        ]
    )


def _payload(contest: Contest, rekeyed: Keys) -> dict[str, Any]:
    function = contest.function
    payload: dict[str, Any] = {
        "function": function.pk,
        "status": function.status,
        "untested": function.untested,
        "judging": function.judging,
        "elected": function.elected_id,
        "unsettled": _unsettled_with(function),
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
    if len(rekeyed) <= MAX_CELLS_IN_EVENT:
        payload["cells"] = cell_rows(rekeyed)
    return payload


def _unsettled_with(function: Function) -> list[str] | None:
    """Return the other functions of its chase, if it is unsettled."""
    return function.chase.others(function.name) if function.chase else None
