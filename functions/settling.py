"""Settles functions: holds their elections, has run what they lack, and has all of it written.

Many at once cost little more than one.
"""

import functools
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from functions.asking import ask
from functions.cascades import supersede
from functions.cells import find_culprits
from functions.circles import Outcomes, agree, arrange
from functions.contest_loading import load_contests, reload_changed
from functions.contests import Contest
from functions.elections import Outcome, closure_digest, hold_election, status_of
from functions.evaluation import RECORDER, settle_soon
from functions.locks import find_and_lock_functions, lock_elections
from functions.models import Function
from functions.nodes import find_companies
from functions.occasions import Occasion, read_occasion
from functions.refreshing import Refreshed, refresh_cells
from functions.standing_events import announce
from functions.standings import Finding, write_standings
from runner.models import FollowUp
from runner.registry import Arrivals

log = logging.getLogger(__name__)

# A cascade that has come so far goes round: two functions' tests unseat each other's choice.
DEEPEST_CASCADE = 256
# So many functions are settled together at most; fewer, if they have more squares than this.
AT_ONCE = 32
MOST_SQUARES = 2_000

Company = list[Contest]  # of functions that are elected or tried together; mostly of one


def settle(arrivals: Arrivals) -> list[str]:
    """Hold the elections of functions, have run what they lack, and tell who depends on them.

    Functions that are elected or tried together have theirs held together. Of those that lead to
    each other otherwise, and of too many, some are left to the next call: returns the others.

    A follow-up: called in a transaction, for all arrivals at once, as often as it likes.

    Only what others see is written under the lock of all elections, and only if others are then
    what they were when it was found. What is read of them without the lock may be old: who has
    changed tells us, and we are called again.
    """
    due = {int(target): rows for target, rows in arrivals.items()}
    living = Function.objects.filter(deleted_at=None).in_bulk(list(due))
    some = _portion([living[pk] for pk in due if pk in living])
    companies = _choose(load_contests(_lock(some)))
    occasions = dict(_read_occasions(companies, due))
    findings = _find(companies, occasions)
    if any(finding.is_seen_by_others for each in findings for finding in each):
        lock_elections()
        findings = list(_still_true(findings))
    for each in findings:
        _look_again(each)
    write_standings([finding for each in findings for finding in each])
    settled = {finding.function.pk for each in findings for finding in each}
    return [str(pk) for pk in due if pk in settled or pk not in living]


def _portion(functions: Sequence[Function]) -> list[Function]:
    """Return as many of the first as may be settled together."""
    squares = 0
    for number, function in enumerate(functions):
        squares += function.last_implementation_number * (1 + function.last_test_number)
        if number and squares > MOST_SQUARES:
            return list(functions[:number])
    return list(functions)


def _lock(functions: Iterable[Function]) -> list[list[Function]]:
    """Lock these with those that they are elected or tried with; leave out where these change."""
    companies = find_companies(functions)
    wanted = {pk for company in companies.values() for pk in company}
    locked = {function.pk: function for function in find_and_lock_functions(wanted)}
    now = find_companies(locked.values())
    unchanged: list[list[Function]] = []
    taken = set[int]()
    for pk, company in companies.items():
        if now.get(pk) == company and taken.isdisjoint(company):
            unchanged.append([locked[each] for each in company])
            taken.update(company)
    return unchanged


def _choose(companies: Sequence[Company]) -> list[Company]:
    """Leave out who leads to another, and is to see what becomes of that one."""
    homes = [{contest.function.pk for contest in company} for company in companies]
    reached = [
        {pk for contest in company for pk in contest.nodes} - home
        for company, home in zip(companies, homes, strict=True)
    ]
    everyone = set[int]().union(*homes)
    # Dependencies come first.
    places = sorted(range(len(companies)), key=lambda place: len(reached[place] & everyone))
    chosen: list[Company] = []
    taken, beyond = set[int](), set[int]()
    for place in places:
        if not (reached[place] & taken or homes[place] & beyond):
            chosen.append(companies[place])
            taken |= homes[place]
            beyond |= reached[place]
    return chosen


def _read_occasions(
    companies: Iterable[Company], due: Mapping[int, Sequence[FollowUp]]
) -> Iterator[tuple[int, Occasion]]:
    for company in companies:
        functions = [contest.function for contest in company]
        told = [row for function in functions for row in due.get(function.pk, ())]
        rows = sorted(told, key=lambda row: row.pk)
        for function in functions:
            yield function.pk, read_occasion(rows, function.due_to)


def _find(companies: Sequence[Company], occasions: Mapping[int, Occasion]) -> list[list[Finding]]:
    """Bring the squares up to date, have run what is missing, and apply the rules."""
    contests = [contest for company in companies for contest in company]
    deferred = {
        contest.function.pk
        for company in companies
        if any(contest.awaits_another() for contest in company)
        for contest in company
    }
    refreshed = refresh_cells(contests, functools.partial(ask, occasions, deferred))
    for contest, each in zip(contests, refreshed, strict=True):
        cause = occasions[contest.function.pk].cause
        supersede(each.pointless, recorder=RECORDER, cause=cause, successor=each.batch)
    of_function = {
        contest.function.pk: each for contest, each in zip(contests, refreshed, strict=True)
    }
    return [_decide(company, occasions, of_function, deferred) for company in companies]


def _decide(
    company: Company,
    occasions: Mapping[int, Occasion],
    refreshed: Mapping[int, Refreshed],
    deferred: Collection[int],
) -> list[Finding]:
    """Apply the rules to functions that are elected or tried together."""
    ids = [contest.function.pk for contest in company]
    squares = {pair: square for pk in ids for pair, square in refreshed[pk].squares.items()}
    squares = find_culprits(company, squares)
    outcomes = agree(company, {one.function.pk: hold_election(one, squares) for one in company})
    current = {one.function.pk: one.function.elected_id for one in company}
    if ids[0] in deferred:
        outcomes = {pk: one.postponed(current[pk]) for pk, one in outcomes.items()}
    elif _goes_round(outcomes, current, occasions):
        outcomes = {pk: one.kept(current[pk]) for pk, one in outcomes.items()}
    arrange(company, outcomes)
    return [
        Finding(
            contest=contest,
            occasion=occasions[pk],
            outcome=outcomes[pk],
            fields=_standing(contest, outcomes[pk]),
            rekeyed=refreshed[pk].rekeyed,
        )
        for pk, contest in zip(ids, company, strict=True)
    ]


def _goes_round(
    outcomes: Outcomes, current: Mapping[int, int | None], occasions: Mapping[int, Occasion]
) -> bool:
    """Tell whether this changes an election so far down a cascade that it would never end."""
    changed = [pk for pk, one in outcomes.items() if one.decision.elected != current[pk]]
    if not any(occasions[pk].depth > DEEPEST_CASCADE for pk in changed):
        return False
    log.error("the cascade at function %s goes round; its election stands", changed[0])
    return True


def _standing(contest: Contest, outcome: Outcome) -> dict[str, Any]:
    """Return what the function's own row says after this."""
    elected = contest.find(outcome.decision.elected)
    proposed = None if elected else contest.proposed
    status, blocked_by = status_of(contest, elected)
    return {
        "elected_id": outcome.decision.elected,
        "status": status,
        "blocked_by": blocked_by,
        "untested": outcome.untested,
        "judging": outcome.decision.is_waiting,
        "proposed_id": proposed.pk if proposed else None,
        "circle": list(contest.circle),
        "closure_digest": closure_digest(contest, elected, proposed),
    }


def _still_true(findings: Iterable[list[Finding]]) -> Iterator[list[Finding]]:
    """Leave out what others are to see, and was found of functions that have changed since.

    That is left to the next call: here, more executions would be locked out of order.
    """
    companies = list(findings)
    seen = [each for each in companies if any(one.is_seen_by_others for one in each)]
    reloaded = reload_changed([one.contest for each in seen for one in each])
    changed = {contest.function.pk for contest in reloaded}
    for each in companies:
        if any(one.function.pk in changed for one in each):
            announce((one.contest, one.rekeyed) for one in each if one.rekeyed)
        else:
            yield each


def _look_again(findings: Sequence[Finding]) -> None:
    """Have those looked at again that may be tried together now, or stand together otherwise."""
    occasion = findings[0].occasion
    changed = [finding for finding in findings if finding.changes_election]
    if changed and (len(findings) > 1 or changed[0].fields["elected_id"] is None):
        settle_soon(
            [finding.function.pk for finding in findings],
            cause=occasion.all_causes,
            depth=occasion.depth + 1,
            batch=occasion.batch,
            actor=occasion.actor,
        )
