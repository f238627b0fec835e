"""Which rule decided, told of elections as they were left."""

from datetime import UTC, datetime, timedelta

import pytest

from functions.contests.explanations import Entrant, Rule, explain, why_not
from functions.contests.rules import Standing, election_order

SINCE = datetime(2026, 1, 1, tzinfo=UTC)


def entrant(
    number: int, standing: str = "eligible", *, score: int = 0, reason: str = ""
) -> Entrant:
    published_at = SINCE + timedelta(days=number)
    return Entrant(number, f"#{number}", Standing(standing), reason, score, published_at)


@pytest.mark.parametrize(
    ("entrants", "current", "judging", "rule", "said"),
    [
        ([], "", False, Rule.NO_CANDIDATE, "Nobody has published"),
        ([entrant(1)], "#1", True, Rule.WAITING, "until then #1 stays current"),
        ([entrant(1)], "#1", False, Rule.ONLY_ELIGIBLE, "#1 is the only eligible"),
        (
            [entrant(1, score=3), entrant(2, score=1), entrant(3, "failing", score=9)],
            "#1",
            False,
            Rule.HIGHEST_SCORE,
            "Of 2 eligible implementations #1 has the highest score: 3; the next, #2, has 1.",
        ),
        ([entrant(1), entrant(2)], "#2", False, Rule.NEWEST_OF_EQUALS, "0, with #1; of equals"),
        ([entrant(1), entrant(2)], "#1", False, Rule.KEPT_FOR_IMPORTERS, "#1 stays, as what"),
        ([entrant(1, "failing")], "", False, Rule.NONE_ELIGIBLE, "None of those"),
        ([entrant(1, "blocked")], "", False, Rule.NONE_JUDGED, "can be judged"),
        (
            [
                entrant(1, "blocked", reason="blocked: Add does not exist"),
                entrant(2, "circular"),
            ],
            "#1",
            False,
            Rule.STANDS_BLOCKED,
            "so #1 stands, blocked: Add does not exist.",
        ),
        ([entrant(1, "unjudged")], "#1", False, Rule.STANDS_UNJUDGED, "unseat nobody"),
        ([entrant(2), entrant(1, "failing")], "#1", False, Rule.STANDS, "The last election stands"),
    ],
)
def test_the_rule_that_decided_is_told(
    entrants: list[Entrant], current: str, judging: bool, rule: Rule, said: str
) -> None:
    ruling = explain(entrants, current, judging=judging)
    assert ruling.rule == rule
    assert said in ruling.sentence


def test_each_other_one_is_told_why_not() -> None:
    winner = entrant(2, score=2)
    assert why_not(entrant(1, score=1), winner) == "eligible, but its score is 1; #2 has 2"
    assert "published later" in why_not(entrant(1, score=2), winner)
    assert "the last election stands" in why_not(entrant(3, score=3), winner)
    assert "other owners import yields only to" in why_not(entrant(3, score=2), winner)
    reason = "does not pass T1"
    assert why_not(entrant(1, "failing", reason=reason), winner) == reason
    assert why_not(entrant(1, "circular", reason="through A → B"), None) == "circular through A → B"
    assert why_not(entrant(1, "unacceptable"), winner) == "marked unacceptable by the owner"
    assert why_not(entrant(1, "not_loading", reason="x"), winner) == "does not load: x"
    assert why_not(entrant(1, "unjudged"), winner) == "not judged"
    assert election_order([entrant(1), winner, entrant(3)])[0] is winner
