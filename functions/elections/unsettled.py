"""What is recorded of changed elections, and what becomes of functions that chase each other."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from django.db.models import Exists, OuterRef

from functions.contests.contest import Contest
from functions.contests.evaluation import settle_soon
from functions.elections.causes import Change, Trace, latest_changes, trace_of
from functions.elections.cycle_groups import Unit
from functions.elections.cycles import arrange
from functions.elections.election import standing
from functions.elections.events import announce
from functions.elections.oscillation import Loop, basis_of, find_loop, restored, tests_of
from functions.elections.standings import Finding
from functions.models import Chase, Function, Notice
from functions.notifications.watches import tell_watchers

Findings = list[list[Finding]]  # by company


class MoreToLock(Exception):
    """Functions that chase some of those that are being settled, and are not locked."""

    def __init__(self, function_ids: Iterable[int]) -> None:
        self.function_ids = frozenset(function_ids)
        super().__init__(self.function_ids)


def trace_changes(findings: Findings, units: Sequence[Unit], beside: Collection[int]) -> Findings:
    """Say of each change what has caused it; of those that chase each other, put back the former.

    Then nothing else is changed in this call. Raises MoreToLock where it takes others, too. Left
    out are those that were locked only `beside` these. The caller holds the lock of elections.
    """
    findings = _without_parts(findings, units)
    due = [each for each in findings if _ids(each).isdisjoint(beside)]
    changing = [each for each in due if any(one.changes_election for one in each)]
    told = {pk for each in changing for one in each for pk in one.occasion.changes}
    latest = latest_changes(told.union(*map(_ids, changing)))
    for each in changing:
        elected = {one.function.pk: one.fields["elected_id"] for one in each}
        current = {one.function.pk: one.function.elected_id for one in each}
        causes = _causes(each, latest)
        loop = find_loop(elected, current, causes, latest)
        members = _members(loop, each, units, beside) if loop else []
        if loop and members and loop.is_still_so(members):
            unsettled = _unsettle(loop, members, findings, causes, each[0].occasion.owner)
            written = _ids(unsettled)
            _leave_out(each for each in findings if _ids(each).isdisjoint(written))
            return [unsettled] if unsettled else []
    _leave_out(each for each in findings if not _ids(each).isdisjoint(beside))
    return [_traced(each, latest) for each in due]


def _without_parts(findings: Findings, units: Iterable[Unit]) -> Findings:
    """Leave out all of those that are unsettled together if one of them has changed meanwhile."""
    found = {pk for each in findings for pk in _ids(each)}
    parts = {pk for unit in units if unit.chase and not unit.ids <= found for pk in unit.ids}
    _leave_out(each for each in findings if not _ids(each).isdisjoint(parts))
    return [each for each in findings if _ids(each).isdisjoint(parts)]


def _ids(findings: Iterable[Finding]) -> set[int]:
    return {finding.function.pk for finding in findings}


def _causes(findings: Sequence[Finding], latest: Mapping[int, Change]) -> list[Change]:
    """Return the changes of others that have led to this, as these are by now."""
    others = {pk for one in findings for pk in one.occasion.changes} - _ids(findings)
    return [latest[pk] for pk in sorted(others) if pk in latest]


def _traced(findings: list[Finding], latest: Mapping[int, Change]) -> list[Finding]:
    changed = frozenset(one.function.pk for one in findings if one.changes_election)
    if not changed:
        return findings
    causes = _causes(findings, latest)
    return [
        replace(one, changes=changed, trace=trace_of(causes, basis_of(one.contest)))
        for one in findings
    ]


def _leave_out(findings: Iterable[Sequence[Finding]]) -> None:
    """Leave these to the next call; what their squares mean by now was written, and is told."""
    for each in findings:
        announce((one.contest, one.rekeyed) for one in each if one.rekeyed)


def _members(
    loop: Loop, findings: Sequence[Finding], units: Sequence[Unit], beside: Collection[int]
) -> list[Contest]:
    """Return all that would be unsettled; none where one of them is gone."""
    wanted = {*loop.functions, *_ids(findings)}
    found = [unit for unit in units if unit.ids & wanted]
    missing = wanted.difference(*(unit.ids for unit in found))
    if missing - set(beside) and Function.objects.filter(pk__in=missing, deleted_at=None):
        raise MoreToLock(missing)
    return [] if missing else [contest for unit in found for contest in unit.contests]


def _unsettle(
    loop: Loop,
    contests: Sequence[Contest],
    findings: Findings,
    causes: Sequence[Change],
    owner: int | None,
) -> list[Finding]:
    """Let each have what it had before the cascade, until something else has changed.

    What follows is in the turns of this owner. Returns nothing where one of them has changed at
    this moment.
    """
    found = {one.function.pk: one for each in findings for one in each}
    if not all(contest.function.pk in found for contest in contests):
        return []
    chase = _begin(loop, contests, owner)
    chosen = restored(loop, contests)
    outcomes = {
        pk: found[pk].outcome.kept(work.pk if work else None) for pk, work in chosen.items()
    }
    arrange(contests, outcomes, anew=True)
    changed = [
        contest.function.pk
        for contest in contests
        if contest.function.elected_id != outcomes[contest.function.pk].decision.elected
    ]
    led = sorted({change.id for change in (*loop.path, *causes)})
    settle_soon(found.keys() & chosen.keys(), cause=_cause(chase), owner=owner, changes=changed)
    return [
        replace(
            found[contest.function.pk],
            outcome=outcomes[contest.function.pk],
            occasion=replace(
                found[contest.function.pk].occasion,
                cause=_cause(chase),
                causes=(_cause(chase),),
                depth=0,
                batch=None,
                owner=owner,
                changes=frozenset(),
            ),
            fields=standing(contest, outcomes[contest.function.pk])
            | {"chase_id": chase.pk, "proposed_id": None},
            changes=frozenset(changed),
            trace=Trace(
                tuple(led), loop.began, bytes.fromhex(chase.bases[f"{contest.function.pk}"]), True
            ),
        )
        for contest in contests
    ]


def _begin(loop: Loop, contests: Sequence[Contest], owner: int | None) -> Chase:
    """Keep who chases whom by which tests, and tell those who watch one of them, once."""
    functions = {contest.function.pk: contest.function for contest in contests}
    path = [functions[pk] for pk in dict.fromkeys((*loop.functions, *functions))]
    chase = Chase.objects.create(
        names=[function.name for function in path],
        tests=tests_of(loop, contests),
        bases={f"{contest.function.pk}": basis_of(contest).hex() for contest in contests},
        began=loop.began,
    )
    named = " ".join([*sorted(chase.names), *map(str, chase.tests)])
    tell_watchers(
        function=path[0],
        beside=path[1:],
        kind=Notice.Kind.UNSETTLED,
        text=_cause(chase),
        actor=None,
        owner=owner,
        once=hashlib.sha256(named.encode()).hexdigest()[:32],
    )
    return chase


def _cause(chase: Chase) -> str:
    return f"the elections of {chase} chase each other: unsettled"[:200]


def end_chases(units: Iterable[Unit], findings: Findings) -> None:
    """Have functions judged that are unsettled no more, and forget by what they were."""
    written = {one.function.pk: one for each in findings for one in each}
    for unit in units:
        found = [written[pk] for pk in unit.ids if pk in written]
        if unit.chase is None or any(one.fields["chase_id"] == unit.chase.pk for one in found):
            continue
        if len(found) == len(unit.ids):
            Chase.objects.filter(pk=unit.chase.pk).delete()
            _judge_anew([one for one in found if one.fields["chase_id"] is None])


def forget_chases_of(gone: Iterable[int]) -> None:
    """Delete the chases of functions that are gone, where no function that lives is left."""
    living = Function.objects.filter(chase=OuterRef("pk"), deleted_at=None)
    Chase.objects.filter(~Exists(living), functions__in=list(gone)).delete()


def _judge_anew(findings: Sequence[Finding]) -> None:
    if findings:
        occasion = findings[0].occasion
        settle_soon(
            _ids(findings),
            cause=occasion.all_causes,
            batch=occasion.batch,
            actor=occasion.actor,
            owner=next((one.occasion.owner for one in findings if one.occasion.owner), None),
            changes={pk for one in findings for pk in one.occasion.changes},
        )
