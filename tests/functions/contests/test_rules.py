"""The rules of election, each sentence of them, and all together against a plain reading."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.contests.rules import (
    EXCLUDED,
    Candidate,
    CandidateFacts,
    CellResult,
    Closure,
    Standing,
    elect,
    election_order,
    judge_candidate,
    median_cpu_us,
    protect_current,
    rank,
)
from functions.contests.test_rules import FLAKY, Health, Proof, StandingCause, TestFacts, judge_test
from functions.models import Implementation, Test
from runner import states

DAWN = datetime(2026, 1, 1, tzinfo=UTC)
PASSED = CellResult("passed")
PENDING = CellResult()
OWNER = 4
GIVEN_UP = CellResult(given_up=True)
NO_RESULT = "no result of {}: cancelled, or given up by our machinery"


def facts(**given: object) -> CandidateFacts:
    known: dict[str, object] = {
        "id": 1,
        "score": 0,
        "published_at": DAWN,
        "load": PASSED,
        "cell_results": {"T1": PASSED},
    }
    return CandidateFacts(**{**known, **given})  # type: ignore[arg-type]


def candidate(number: int, standing: Standing, *, waits: bool = False) -> Candidate:
    return Candidate(number, standing, "", 0, 0, is_waiting=waits)


def test_the_words_of_the_rules_are_those_of_the_tables() -> None:
    assert {s.value for s in Standing} == set(Implementation.Standing.values)
    assert {h.value for h in Health} == set(Test.Health.values)
    assert {c.value for c in StandingCause} == set(Test.StandingCause.values)


# --- tests ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "acceptable", "counts"),
    [
        (0, None, True),
        (5, None, True),
        (-1, None, False),
        (-9, True, True),
        (9, False, False),
        (0, False, False),
    ],
)
def test_a_test_counts_unless_voters_or_the_owner_object(
    score: int, acceptable: bool | None, counts: bool
) -> None:
    facts = TestFacts(score=score, acceptable=acceptable, cause=StandingCause.OWNER)
    standing = judge_test(facts)
    assert standing.counts is counts
    assert standing.health == Health.WORKING


@pytest.mark.parametrize(
    ("given", "health", "reason"),
    [
        ({"compile_error": "line 3: invalid syntax"}, "broken", "line 3: invalid syntax"),
        (
            {"closure": Closure(missing="Divide")},
            "broken",
            "Divide is not implemented",
        ),
        (
            {"closure": Closure(missing="Divide", is_undefined=True)},
            "broken",
            "Divide does not exist",
        ),
        ({"closure": Closure(cycle_path=("G", "H"))}, "circular", "leads back here through G → H"),
        (
            {"closure": Closure(missing="Divide", cycle_path=("G",))},
            "broken",
            "Divide is not implemented",
        ),
    ],
)
def test_a_test_that_cannot_be_relied_on_says_why_and_decides_nothing(
    given: dict[str, object], health: str, reason: str
) -> None:
    known: dict[str, object] = {"score": 9, "acceptable": True, "cause": StandingCause.EARLY}
    standing = judge_test(TestFacts(**known, **given))  # type: ignore[arg-type]
    assert (standing.health, standing.reason, standing.counts) == (health, reason, False)


ONCE, NOW = Proof(7, b"once"), Proof(7, b"now")


@pytest.mark.parametrize(
    ("given", "cause"),
    [
        ({}, ""),
        ({"is_owners": True}, "owner"),
        ({"acceptable": True}, "accepted"),
        ({"acceptable": True, "score": -3}, "accepted"),
        ({"score": 1}, "voted"),
        ({"acceptable": False, "score": 1}, "voted"),  # though it is not acceptable
        ({"verdict": "passed", "trial": NOW}, "passed"),
        ({"verdict": "failed", "trial": NOW}, ""),
        ({"cause": "accepted"}, "accepted"),  # and taken back since
        ({"cause": "voted", "verdict": "failed", "trial": NOW}, "voted"),
        ({"cause": "early", "verdict": "flaky", "trial": NOW}, "early"),
        ({"cause": "upgrade", "verdict": "failed", "trial": NOW}, "upgrade"),
        ({"cause": "passed", "proof": ONCE}, "passed"),  # pending, blocked or broken
        ({"cause": "passed", "proof": ONCE, "verdict": "passed", "trial": NOW}, "passed"),
        ({"cause": "passed", "proof": ONCE, "verdict": "failed", "trial": ONCE}, "passed"),
        ({"cause": "passed", "proof": ONCE, "verdict": "failed", "trial": NOW}, ""),
        ({"cause": "passed", "proof": ONCE, "verdict": "flaky", "trial": ONCE}, ""),
        (
            {"cause": "passed", "proof": ONCE, "score": 1, "verdict": "failed", "trial": NOW},
            "voted",
        ),
    ],
)
def test_what_gives_a_test_standing(given: dict[str, object], cause: str) -> None:
    known: dict[str, object] = {"score": 0, "acceptable": None, "cause": "", **given}
    known["cause"] = StandingCause(str(known["cause"]))
    standing = judge_test(TestFacts(**known))  # type: ignore[arg-type]
    assert standing.cause == cause
    is_acceptable = known["acceptable"] is not False
    assert standing.counts == (bool(cause) and is_acceptable)
    trial = known.get("trial") if known.get("verdict") == "passed" else known.get("proof")
    assert standing.proof == (trial if cause == "passed" else None)


# --- implementations --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "standing", "reason"),
    [
        ({}, "eligible", ""),
        ({"cell_results": {}}, "eligible", ""),
        ({"acceptable": False}, "unacceptable", "the owner marked it unacceptable"),
        ({"duplicate_of": "#1"}, "duplicate", "the same code as #1"),
        ({"closure": Closure(cycle_path=("G",))}, "circular", "through G"),
        ({"closure": Closure(missing="G")}, "blocked", "blocked: G is not implemented"),
        (
            {"closure": Closure(missing="G", is_undefined=True)},
            "blocked",
            "blocked: G does not exist",
        ),
        ({"load": CellResult("error", message="no")}, "not_loading", "no"),
        ({"cell_results": {"T1": CellResult("failed")}}, "failing", "does not pass T1"),
        (
            {"cell_results": {"T1": CellResult("time_limit"), "T2": PENDING}},
            "failing",
            "does not pass T1",
        ),
        ({"cell_results": {"T1": PENDING}}, "unjudged", "its runs are not all done"),
        ({"load": PENDING}, "unjudged", "its runs are not all done"),
        ({"cell_results": {"T1": GIVEN_UP}}, "unjudged", NO_RESULT.format("T1")),
        ({"load": GIVEN_UP}, "unjudged", NO_RESULT.format("loading it")),
    ],
)
def test_an_implementation_stands_as_the_rules_say(
    given: dict[str, object], standing: str, reason: str
) -> None:
    judged = judge_candidate(facts(**given))
    assert (judged.standing, judged.reason) == (standing, reason)


def test_many_failures_are_named_in_short() -> None:
    failing = {f"T{n}": CellResult("failed") for n in range(1, 7)}
    assert (
        judge_candidate(facts(cell_results=failing)).reason == "does not pass T1, T2, T3 and 3 more"
    )


def test_passed_and_counting_tests_are_counted() -> None:
    cell_results = {"T1": PASSED, "T2": CellResult("error"), "T3": PENDING}
    judged = judge_candidate(facts(cell_results=cell_results))
    assert (judged.passed, judged.counting) == (1, 3)


# --- elections --------------------------------------------------------------------------------


def test_the_higher_score_comes_first_then_the_one_published_last() -> None:
    later = DAWN + timedelta(days=1)
    ranked = election_order(
        [
            facts(id=1, score=1),
            facts(id=2, score=2),
            facts(id=3, score=2, published_at=later),
            facts(id=4, score=2, published_at=later),
        ]
    )
    assert [candidate.id for candidate in ranked] == [4, 3, 2, 1]


def test_the_first_eligible_one_wins() -> None:
    ranked = [candidate(1, Standing.FAILING), candidate(2, Standing.ELIGIBLE)]
    assert elect(ranked, current=None).elected == 2


def test_nobody_wins_before_the_verdicts_of_those_ahead_are_there() -> None:
    ranked = [candidate(1, Standing.UNJUDGED, waits=True), candidate(2, Standing.ELIGIBLE)]
    decision = elect(ranked, current=7)
    assert decision.is_waiting
    assert decision.elected == 7


def test_verdicts_of_those_behind_the_winner_are_not_waited_for() -> None:
    ranked = [candidate(1, Standing.ELIGIBLE), candidate(2, Standing.UNJUDGED, waits=True)]
    assert not elect(ranked, current=None).is_waiting


def test_what_could_be_judged_and_is_not_eligible_is_unseated() -> None:
    assert elect([candidate(1, Standing.FAILING)], current=1).elected is None
    ranked = [candidate(1, Standing.BLOCKED), candidate(2, Standing.NOT_LOADING)]
    assert elect(ranked, current=1).elected is None


def test_the_last_election_stands_where_none_could_be_judged() -> None:
    ranked = [candidate(1, Standing.BLOCKED), candidate(2, Standing.BLOCKED)]
    assert elect(ranked, current=2).elected == 2


@pytest.mark.parametrize("standing", sorted(EXCLUDED))
def test_who_is_no_candidate_any_more_does_not_stand(standing: Standing) -> None:
    assert elect([candidate(1, standing)], current=1).elected is None
    assert elect([], current=1).elected is None


def test_what_our_machinery_gave_up_on_is_neither_elected_nor_unseated() -> None:
    given_up, failing = candidate(1, Standing.UNJUDGED), candidate(2, Standing.FAILING)
    eligible = candidate(3, Standing.ELIGIBLE)
    assert elect([given_up, failing], current=1).elected == 1
    assert elect([failing, given_up], current=1).elected == 1
    assert elect([given_up], current=None).elected is None
    assert elect([given_up, eligible], current=3).elected == 3
    assert elect([eligible, given_up], current=1).elected == 3


@pytest.mark.parametrize(
    ("holder", "newer", "elected", "waits"),
    [
        ({}, {"author": 9}, 1, False),
        ({}, {"author": 9, "score": 1}, 2, False),
        ({}, {"author": OWNER}, 2, False),
        ({}, {"author": 5}, 2, False),  # its own author's
        ({}, {"author": 9, "load": PENDING}, 1, False),  # it needn't be waited for
        ({"load": PENDING}, {"author": 9}, 1, True),
        ({"load": GIVEN_UP}, {"author": 9}, 1, False),
        ({"load": CellResult("failed")}, {"author": 9}, 2, False),
        ({"closure": Closure(missing="G")}, {"author": 9}, 2, False),
        ({"acceptable": False}, {"author": 9}, 2, False),
    ],
)
def test_equals_are_held_off_while_others_import_what_is_elected(
    holder: dict[str, object], newer: dict[str, object], elected: int, waits: bool
) -> None:
    found = [
        facts(id=1, author=5, **holder),
        facts(**{"id": 2, "published_at": DAWN + timedelta(days=1), **newer}),
    ]
    marked = election_order(protect_current(found, 1, OWNER))
    decision = elect([judge_candidate(one) for one in marked], 1)
    assert (decision.elected, decision.is_waiting) == (elected, waits)
    # An owner's newer one is elected though a stranger's is newer still.
    newest = facts(id=3, author=8, published_at=DAWN + timedelta(days=2))
    marked = election_order(protect_current([*found, newest], 1, OWNER))
    decision = elect([judge_candidate(one) for one in marked], 1)
    if elected == 2 and newer.get("author") in (OWNER, 5) and "score" not in newer:
        assert decision.elected == 2


def test_flaky_is_what_the_machinery_calls_it() -> None:
    assert FLAKY == states.FLAKY


cell_results = st.sampled_from([PASSED, CellResult("failed"), PENDING, GIVEN_UP])
closures = st.sampled_from([Closure(), Closure(missing="G"), Closure(cycle_path=("G",))])


@st.composite
def contests(draw: st.DrawFn) -> tuple[list[CandidateFacts], int | None]:
    number = draw(st.integers(0, 5))
    found = [
        facts(
            id=each,
            score=draw(st.integers(-2, 2)),
            published_at=DAWN + timedelta(days=draw(st.integers(0, 2))),
            acceptable=draw(st.sampled_from([None, True, False])),
            closure=draw(closures),
            load=draw(cell_results),
            cell_results={"T1": draw(cell_results), "T2": draw(cell_results)},
        )
        for each in range(1, number + 1)
    ]
    current = draw(st.sampled_from([None, *range(1, number + 1)]))
    return found, current


@given(contests())
def test_elections_agree_with_a_plain_reading_of_the_rules(
    contest: tuple[list[CandidateFacts], int | None],
) -> None:
    found, current = contest
    candidates = [judge_candidate(one) for one in election_order(found)]
    decision = elect(candidates, current)

    def may_run(one: CandidateFacts) -> bool:
        return one.acceptable is not False and one.closure == Closure()

    def outcomes(one: CandidateFacts) -> set[CellResult]:
        return {one.load, *one.cell_results.values()}

    eligible = [one for one in found if may_run(one) and outcomes(one) == {PASSED}]
    refuted = [one for one in found if may_run(one) and CellResult("failed") in outcomes(one)]
    best = max(eligible, key=rank, default=None)
    waiting = [
        one for one in found if may_run(one) and one not in refuted and PENDING in outcomes(one)
    ]
    ahead = [one for one in waiting if best is None or rank(one) > rank(best)]
    holder = next((one for one in found if one.id == current), None)
    is_unjudged = holder is not None and may_run(holder) and holder not in refuted
    if decision.is_waiting:
        assert ahead
        assert decision.elected == current
    elif decision.elected is None:
        assert not eligible
    elif best is not None and decision.elected == best.id:
        assert not ahead
    else:
        assert decision.elected == current
        assert holder is not None
        assert is_unjudged or (holder.closure.missing and not refuted)


@given(contests())
def test_an_election_held_again_finds_the_same(
    contest: tuple[list[CandidateFacts], int | None],
) -> None:
    found, current = contest
    candidates = [judge_candidate(one) for one in election_order(found)]
    first = elect(candidates, current)
    assert elect(candidates, first.elected).elected == first.elected


def test_speed_is_the_median_of_the_runs_that_passed() -> None:
    runs = [CellResult("passed", cpu_us=t) for t in (300, 100, 200)]
    assert median_cpu_us([*runs, CellResult("failed", cpu_us=1)]) == 200
    assert median_cpu_us([CellResult("failed", cpu_us=1)]) is None
