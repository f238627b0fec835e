"""Forecasts of functions after a change, from the results of a preview's runs so far."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from functions.contests.rules import (
    PASSED,
    Candidate,
    CandidateFacts,
    CellResult,
    Standing,
    elect,
    judge_candidate,
)
from functions.recorded import recorded

# Label of the program that only loads an implementation.
LOADING = ""
# Returns a program's result by its key; None is the key of a program above the limit.
LookUp = Callable[[str | None], CellResult]
Stored = Mapping[str, Any]  # a candidate as stored in `Effect`


class Outcome(StrEnum):
    """The outcome for a function."""

    BREAKS = "breaks"  # it would no longer have a working implementation
    CHANGES = "changes"  # another of its implementations would become current
    MENDED = "mended"  # it would have a working implementation again, or for the first time
    STAYS = "stays"
    UNKNOWN = "unknown"  # a deciding run was left out or given up
    WAITING = "waiting"  # for runs


@dataclass(frozen=True, slots=True)
class Forecast:
    """A function after the change: its elected implementation, and the reason."""

    outcome: Outcome
    elected: int | None
    label: str
    reason: str
    works: bool  # the elected implementation is eligible
    failing: tuple[tuple[str, str], ...] = ()  # labels and keys of tests that the current one fails
    uses: tuple[int, ...] = ()  # functions that the elected, else the current one names
    waits_for: tuple[int, ...] = ()  # functions that its blocked candidates name


def predict(
    candidates: Sequence[Stored], current: int | None, *, was_implemented: bool, look_up: LookUp
) -> Forecast:
    """Return the forecast of a function's election from the results known so far."""
    stored_of = {stored["id"]: stored for stored in candidates}
    lapsed = _lapsed(stored_of.get(current or 0, {}), look_up)
    judged = {stored["id"]: _candidate(stored, look_up, lapsed) for stored in candidates}
    decision = elect(list(judged.values()), current)
    now = judged.get(current) if current else None
    after = judged.get(decision.elected) if decision.elected else None
    shown = stored_of.get(decision.elected or 0, {})
    used = shown or stored_of.get(current or 0, {})
    return Forecast(
        outcome=_outcome(decision.is_waiting, after, current, was_implemented=was_implemented),
        elected=decision.elected,
        label=shown.get("label", ""),
        reason=_reason(now, after, decision.reason),
        works=_works(after),
        failing=_failing(stored_of.get(current or 0, {}), look_up, lapsed),
        uses=tuple(used.get("uses", ())),
        waits_for=tuple(
            named
            for pk, candidate in judged.items()
            if candidate.standing == Standing.BLOCKED
            for named in stored_of[pk]["uses"]
        ),
    )


def ineligibility_reason(candidates: Sequence[Stored], implementation: int, look_up: LookUp) -> str:
    """Return why this candidate would not be eligible; empty if it would be, or is unknown."""
    judged = [_candidate(one, look_up) for one in candidates if one["id"] == implementation]
    return "".join(one.reason for one in judged if not one.is_waiting)


class CycleMember(NamedTuple):
    """A member of a cycle now: its name, and the id and label of its elected implementation."""

    name: str
    elected: int | None
    label: str


def apply_cycle(
    forecasts: Mapping[int, Forecast], cycle: Mapping[int, CycleMember], *, falls: bool
) -> dict[int, Forecast]:
    """Return the forecasts with a cycle's members unchanged, unless all of them would work.

    With `falls`, an implementation that they were elected with is gone, so they break instead.
    """
    found = dict(forecasts)
    members = {pk: found[pk] for pk in cycle if pk in found}
    if any(one.outcome in (Outcome.WAITING, Outcome.UNKNOWN) for one in members.values()):
        return found
    failing = [pk for pk, one in members.items() if not one.works]
    for pk, one in members.items() if failing else ():
        names = {"name": cycle[failing[0]].name, "reason": recorded(members[failing[0]].reason)}
        if names["reason"]:
            reason = _("%(name)s would not work with it: %(reason)s") % names
        else:
            reason = _("%(name)s would not work with it") % names
        former, label = cycle[pk].elected, cycle[pk].label
        if former and falls:
            found[pk] = replace(
                one, outcome=Outcome.BREAKS, elected=None, label="", reason=reason, works=False
            )
        else:
            found[pk] = replace(
                one,
                outcome=Outcome.STAYS,
                elected=former,
                label=label,
                reason=reason,
                works=bool(former),
            )
    return found


def propagate(
    forecasts: Mapping[int, Forecast],
    names: Mapping[int, str],
    *,
    cycle: Collection[int] = (),
) -> dict[int, Forecast]:
    """Return the forecasts with outcomes propagated to dependents.

    Functions that import a broken one break as well. Those that import, or wait for, a function
    with another implementation become unknown, as each was tried with the others as they are now
    (except within a cycle).
    """
    return _propagate_breaks(_propagate_changes(forecasts, names, cycle), names, cycle)


PREDICTED = frozenset({Outcome.BREAKS, Outcome.STAYS, Outcome.CHANGES, Outcome.MENDED})


def _propagate_changes(
    forecasts: Mapping[int, Forecast], names: Mapping[int, str], cycle: Collection[int]
) -> dict[int, Forecast]:
    found = dict(forecasts)
    changing = (Outcome.CHANGES, Outcome.MENDED)
    others = [pk for pk, one in found.items() if one.outcome in changing and pk not in cycle]
    while others:
        by = others.pop()
        for pk, forecast in found.items():
            if by in (*forecast.uses, *forecast.waits_for) and forecast.outcome in PREDICTED:
                reason = _("uses %(name)s, which would change too; this was not tried")
                reason %= {"name": names[by]}
                found[pk] = replace(forecast, outcome=Outcome.UNKNOWN, reason=reason)
                others.append(pk)
    return found


def _propagate_breaks(
    forecasts: Mapping[int, Forecast], names: Mapping[int, str], cycle: Collection[int]
) -> dict[int, Forecast]:
    found = dict(forecasts)
    missing = [pk for pk in cycle if pk in found and found[pk].outcome == Outcome.STAYS]
    broken = [pk for pk, forecast in found.items() if forecast.outcome == Outcome.BREAKS]
    broken += [pk for pk in missing if not found[pk].works]
    while broken:
        by = broken.pop()
        reason = (
            _("blocked: %(name)s is not implemented")
            if by in missing
            else _("blocked: %(name)s would break")
        ) % {"name": names[by]}
        for pk, forecast in found.items():
            if forecast.works and by in forecast.uses:
                is_new = forecast.outcome == Outcome.MENDED
                found[pk] = replace(
                    forecast,
                    outcome=Outcome.STAYS if is_new else Outcome.BREAKS,
                    reason=reason,
                    works=False,
                )
                broken.append(pk)
    return found


def _lapsed(current: Stored, look_up: LookUp) -> list[str]:
    """Return the tests whose standing would lapse, as the current one would fail them."""
    needed: Mapping[str, str | None] = current.get("needed", {})
    verdicts = {label: look_up(needed.get(label)).verdict for label in current.get("lapsing", ())}
    return [label for label, verdict in verdicts.items() if verdict not in ("", PASSED)]


def _candidate(stored: Stored, look_up: LookUp, lapsed: Collection[str] = ()) -> Candidate:
    loses_tie = stored.get("held_off", False)
    if "standing" in stored:
        standing, reason = Standing(stored["standing"]), stored["reason"]
        return Candidate(
            stored["id"], standing, reason, 0, 0, is_waiting=False, loses_tie=loses_tie
        )
    cell_results = {label: look_up(key) for label, key in stored["needed"].items()}
    cell_results.update(dict.fromkeys(stored["given_up"], CellResult(given_up=True)))
    cell_results = {label: result for label, result in cell_results.items() if label not in lapsed}
    load = cell_results.pop(LOADING, CellResult(PASSED))
    facts = CandidateFacts(
        id=stored["id"],
        score=0,  # candidates are stored in election order
        published_at=datetime.min,  # noqa: DTZ901 - never compared
        load=load,
        cell_results=cell_results,
        loses_tie=loses_tie,
    )
    return judge_candidate(facts)


def _outcome(
    is_waiting: bool,
    after: Candidate | None,
    current: int | None,
    *,
    was_implemented: bool,
) -> Outcome:
    if is_waiting:
        return Outcome.WAITING
    if after is not None and after.standing == Standing.UNJUDGED:
        return Outcome.UNKNOWN
    works = _works(after)
    if works and not was_implemented:
        return Outcome.MENDED
    if works and after is not None and after.id != current:
        return Outcome.CHANGES
    return Outcome.BREAKS if was_implemented and not works else Outcome.STAYS


def _works(candidate: Candidate | None) -> bool:
    return candidate is not None and candidate.standing == Standing.ELIGIBLE


def _reason(now: Candidate | None, after: Candidate | None, otherwise: str) -> str:
    """Return the current implementation's reason, else the new one's, else `otherwise`."""
    if now is not None and now.reason:
        return now.reason
    if after is not None and after.reason:
        return after.reason
    return "" if after is not None else otherwise


def _failing(
    stored: Stored, look_up: LookUp, lapsed: Collection[str]
) -> tuple[tuple[str, str], ...]:
    needed: Mapping[str, str | None] = stored.get("needed", {})
    return tuple(
        (label, key)
        for label, key in needed.items()
        if key and label not in lapsed and look_up(key).verdict not in ("", PASSED)
    )
