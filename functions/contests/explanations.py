"""Sentences that explain why an implementation is current and the others are not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from functions.contests.rules import JUDGED, Standing, election_order, rank


class Rule(StrEnum):
    """The election rule that decided."""

    ONLY_ELIGIBLE = "only_eligible"
    HIGHEST_SCORE = "highest_score"
    NEWEST_OF_EQUALS = "newest_of_equals"
    KEPT_FOR_IMPORTERS = "kept_for_importers"
    WAITING = "waiting"
    STANDS_BLOCKED = "stands_blocked"
    STANDS_UNJUDGED = "stands_unjudged"
    STANDS = "stands"
    UNSETTLED = "unsettled"
    NONE_ELIGIBLE = "none_eligible"
    NONE_JUDGED = "none_judged"
    NO_CANDIDATE = "no_candidate"


@dataclass(frozen=True, slots=True)
class Entrant:
    """An implementation after its last election; `label` is its name in sentences."""

    id: int
    label: str
    standing: Standing
    reason: str
    score: int
    published_at: datetime


@dataclass(frozen=True, slots=True)
class Ruling:
    """The rule that decided, and a sentence about this case."""

    rule: Rule
    sentence: str


def explain(
    entrants: Sequence[Entrant],
    current: str,
    *,
    judging: bool,
    together_with: Sequence[str] = (),
    unsettled_with: Sequence[str] = (),
) -> Ruling:
    """Return the rule that made `current` the current one (empty: none is), as a ruling.

    `together_with` are the other functions of its cycle, `unsettled_with` those of its chase.
    """
    if unsettled_with:
        kept = f"{current} stays current" if current else "none is current"
        chased = f"Its elections and those of {_and(unsettled_with)} chase each other"
        sentence = f"{chased}, so {kept}, as before, until one of the tests that make them is gone."
        return Ruling(Rule.UNSETTLED, sentence)
    ruling = _explain(entrants, current, judging=judging)
    if not together_with:
        return ruling
    names = _and(together_with)
    circle = f"It is elected together with {names}, as one circle: they stand and fall together."
    return replace(ruling, sentence=f"{ruling.sentence} {circle}")


def _and(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _explain(entrants: Sequence[Entrant], current: str, *, judging: bool) -> Ruling:
    ordered = election_order(entrants)
    eligible = [entrant for entrant in ordered if entrant.standing == Standing.ELIGIBLE]
    if judging:
        stays = f"{current} stays" if current else "none is"
        return Ruling(Rule.WAITING, f"Verdicts are still to come; until then {stays} current.")
    if not current:
        return _none(ordered)
    if eligible and eligible[0].label == current:
        return _winner(eligible)
    chosen = next((entrant for entrant in ordered if entrant.label == current), None)
    if chosen in eligible and eligible[0].score == chosen.score:
        return Ruling(
            Rule.KEPT_FOR_IMPORTERS,
            f"{current} shares the highest score, {chosen.score}, with {eligible[0].label}, which "
            f"is newer. {current} stays, as {_PROTECTED}.",
        )
    return _stands(current, chosen)


def _none(ordered: Sequence[Entrant]) -> Ruling:
    if not ordered:
        return Ruling(Rule.NO_CANDIDATE, "Nobody has published an implementation yet.")
    if any(entrant.standing in JUDGED for entrant in ordered):
        return Ruling(Rule.NONE_ELIGIBLE, "None of those that could be judged is eligible.")
    return Ruling(Rule.NONE_JUDGED, "None of the candidates can be judged.")


def _winner(eligible: Sequence[Entrant]) -> Ruling:
    winner, *others = eligible
    if not others:
        return Ruling(Rule.ONLY_ELIGIBLE, f"{winner.label} is the only eligible implementation.")
    next_one = others[0]
    if winner.score > next_one.score:
        sentence = (
            f"Of {len(eligible)} eligible implementations {winner.label} has the highest score: "
            f"{winner.score}; the next, {next_one.label}, has {next_one.score}."
        )
        return Ruling(Rule.HIGHEST_SCORE, sentence)
    equals = sum(other.score == winner.score for other in others)
    shared = next_one.label if equals == 1 else f"{equals} others"
    sentence = (
        f"{winner.label} shares the highest score, {winner.score}, with {shared}; "
        "of equals the one published last is chosen."
    )
    return Ruling(Rule.NEWEST_OF_EQUALS, sentence)


# The reason for which the current implementation of equals may not be the newest.
_PROTECTED = (
    "what functions of other owners import yields only to a higher score, or to work by the "
    "function’s owner or by its own author"
)


def _stands(current: str, chosen: Entrant | None) -> Ruling:
    if chosen and chosen.standing == Standing.BLOCKED:
        sentence = f"None could be judged, so {current} stands, {chosen.reason}."
        return Ruling(Rule.STANDS_BLOCKED, sentence)
    if chosen and chosen.standing == Standing.UNJUDGED:
        sentence = f"{current} stands: runs that were given up or cancelled unseat nobody."
        return Ruling(Rule.STANDS_UNJUDGED, sentence)
    return Ruling(Rule.STANDS, f"The last election stands: {current}.")


def why_not(entrant: Entrant, winner: Entrant | None) -> str:
    """Return why this entrant is not current, given the winner, if there is one."""
    if entrant.standing == Standing.ELIGIBLE:
        return _outvoted(entrant, winner)
    return {
        Standing.UNACCEPTABLE: "marked unacceptable by the owner",
        Standing.CIRCULAR: f"circular {entrant.reason}",
        Standing.NOT_LOADING: f"does not load: {entrant.reason}",
        Standing.UNJUDGED: f"not judged: {entrant.reason}".removesuffix(": "),
    }.get(entrant.standing, entrant.reason)


def _outvoted(entrant: Entrant, winner: Entrant | None) -> str:
    if winner is None or rank(winner) < rank(entrant):
        is_equal = winner is not None and winner.score == entrant.score
        if winner and is_equal and winner.standing == Standing.ELIGIBLE:
            return f"eligible with the same score as {winner.label}; {_PROTECTED}"
        return "eligible; the last election stands until the next is held"
    if entrant.score < winner.score:
        return f"eligible, but its score is {entrant.score}; {winner.label} has {winner.score}"
    return f"eligible with the same score as {winner.label}, which was published later"
