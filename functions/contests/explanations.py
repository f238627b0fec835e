"""Sentences that explain why an implementation is current and the others are not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from functions.contests.rules import JUDGED, Standing, election_order, rank
from functions.errors import gettext as _


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
        return Ruling(Rule.UNSETTLED, _unsettled(current, unsettled_with))
    ruling = _explain(entrants, current, judging=judging)
    if not together_with:
        return ruling
    circle = _(
        "It is elected together with %(names)s, as one circle: they stand and fall together."
    ) % {"names": _and(together_with)}
    return replace(ruling, sentence=f"{ruling.sentence} {circle}")


def _and(names: Sequence[str]) -> str:
    *others, last = names
    return (
        _("%(names)s and %(last)s") % {"names": ", ".join(others), "last": last} if others else last
    )


def _unsettled(current: str, others: Sequence[str]) -> str:
    sentence = (
        _(
            "Its elections and those of %(names)s chase each other, so %(current)s stays current, "
            "as before, until one of the tests that make them is gone."
        )
        if current
        else _(
            "Its elections and those of %(names)s chase each other, so none is current, "
            "as before, until one of the tests that make them is gone."
        )
    )
    return sentence % {"names": _and(others), "current": current}


def _explain(entrants: Sequence[Entrant], current: str, *, judging: bool) -> Ruling:
    ordered = election_order(entrants)
    eligible = [entrant for entrant in ordered if entrant.standing == Standing.ELIGIBLE]
    if judging:
        sentence = (
            _("Verdicts are still to come; until then %(current)s stays current.")
            if current
            else _("Verdicts are still to come; until then none is current.")
        )
        return Ruling(Rule.WAITING, sentence % {"current": current})
    if not current:
        return _none(ordered)
    if eligible and eligible[0].label == current:
        return _winner(eligible)
    chosen = next((entrant for entrant in ordered if entrant.label == current), None)
    if chosen in eligible and eligible[0].score == chosen.score:
        sentence = _(
            "%(current)s shares the highest score, %(score)s, with %(newer)s, which is newer. "
            "%(current)s stays, as what functions of other owners import yields only to a higher "
            "score, or to work by the function’s owner or by its own author."
        ) % {"current": current, "score": chosen.score, "newer": eligible[0].label}
        return Ruling(Rule.KEPT_FOR_IMPORTERS, sentence)
    return _stands(current, chosen)


def _none(ordered: Sequence[Entrant]) -> Ruling:
    if not ordered:
        return Ruling(Rule.NO_CANDIDATE, _("Nobody has published an implementation yet."))
    if any(entrant.standing in JUDGED for entrant in ordered):
        return Ruling(Rule.NONE_ELIGIBLE, _("None of those that could be judged is eligible."))
    return Ruling(Rule.NONE_JUDGED, _("None of the candidates can be judged."))


def _winner(eligible: Sequence[Entrant]) -> Ruling:
    winner, *others = eligible
    if not others:
        sentence = _("%(winner)s is the only eligible implementation.") % {"winner": winner.label}
        return Ruling(Rule.ONLY_ELIGIBLE, sentence)
    next_one = others[0]
    equals = sum(other.score == winner.score for other in others)
    facts = {
        "winner": winner.label,
        "score": winner.score,
        "next": next_one.label,
        "next_score": next_one.score,
    }
    if winner.score > next_one.score:
        sentence = _(
            "Of %(count)s eligible implementations %(winner)s has the highest score: "
            "%(score)s; the next, %(next)s, has %(next_score)s."
        ) % {**facts, "count": len(eligible)}
        return Ruling(Rule.HIGHEST_SCORE, sentence)
    sentence = (
        _(
            "%(winner)s shares the highest score, %(score)s, with %(next)s; "
            "of equals the one published last is chosen."
        )
        if equals == 1
        else _(
            "%(winner)s shares the highest score, %(score)s, with %(count)s others; "
            "of equals the one published last is chosen."
        )
    )
    return Ruling(Rule.NEWEST_OF_EQUALS, sentence % {**facts, "count": equals})


def _stands(current: str, chosen: Entrant | None) -> Ruling:
    if chosen and chosen.standing == Standing.BLOCKED:
        sentence = _("None could be judged, so %(current)s stands, %(reason)s.") % {
            "current": current,
            "reason": chosen.reason,
        }
        return Ruling(Rule.STANDS_BLOCKED, sentence)
    if chosen and chosen.standing == Standing.UNJUDGED:
        sentence = _("%(current)s stands: runs that were given up or cancelled unseat nobody.") % {
            "current": current
        }
        return Ruling(Rule.STANDS_UNJUDGED, sentence)
    sentence = _("The last election stands: %(current)s.") % {"current": current}
    return Ruling(Rule.STANDS, sentence)


def why_not(entrant: Entrant, winner: Entrant | None) -> str:
    """Return why this entrant is not current, given the winner, if there is one."""
    if entrant.standing == Standing.ELIGIBLE:
        return _outvoted(entrant, winner)
    if entrant.standing == Standing.UNJUDGED and not entrant.reason:
        return _("not judged")
    known = {
        Standing.UNACCEPTABLE: _("marked unacceptable by the owner"),
        Standing.CIRCULAR: _("circular through %(path)s"),
        Standing.NOT_LOADING: _("does not load: %(reason)s"),
        Standing.UNJUDGED: _("not judged: %(reason)s"),
    }.get(entrant.standing, "%(reason)s")
    # A circular one's reason is "through A → B".
    return known % {"reason": entrant.reason, "path": entrant.reason.partition(" ")[2]}


def _outvoted(entrant: Entrant, winner: Entrant | None) -> str:
    if winner is None or rank(winner) < rank(entrant):
        is_equal = winner is not None and winner.score == entrant.score
        if winner and is_equal and winner.standing == Standing.ELIGIBLE:
            return _(
                "eligible with the same score as %(winner)s; what functions of other owners "
                "import yields only to a higher score, or to work by the function’s owner or by "
                "its own author"
            ) % {"winner": winner.label}
        return _("eligible; the last election stands until the next is held")
    if entrant.score < winner.score:
        return _("eligible, but its score is %(score)s; %(winner)s has %(highest)s") % {
            "score": entrant.score,
            "winner": winner.label,
            "highest": winner.score,
        }
    return _("eligible with the same score as %(winner)s, which was published later") % {
        "winner": winner.label
    }
