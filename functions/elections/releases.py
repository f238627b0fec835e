"""Records releases in the transaction that changes what importing a function means."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from functions.canaries.notices import enqueue_notices
from functions.kinds import KINDS, kind_of
from functions.models import Dependency, Function, Implementation, Release, Work

# Functions that one sweep looks at.
SWEPT_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class _Latest:
    """The latest release of a name."""

    function: int
    number: int
    digest: bytes
    yanked: str


def record_releases(functions: Iterable[Function]) -> None:
    """Record releases of functions whose election has changed something, in its transaction.

    None may depend on another, except within a circle. What a function depends on must have been
    recorded before; if it has no release, the function gets none. Pages and JavaScript have none.
    """
    settled = list(functions)
    _yank(settled)
    implemented = {
        function.pk: function
        for function in settled
        if function.status == Function.Status.IMPLEMENTED
        and function.deleted_at is None
        and kind_of(function).has_exports
    }
    if implemented:
        _record(implemented)


def yank_withdrawn(work: Work) -> None:
    """Yank the releases of an implementation that its author withdraws.

    If it is current, the election that follows has canaries told.
    """
    if isinstance(work, Implementation):
        _yank_all(Release.objects.filter(implementation=work), Release.Yanked.WITHDRAWN)
        if work.function.elected_id != work.pk:
            enqueue_notices([work.function])


def sweep_releases(cursor: int) -> int:
    """Record releases that are missing: of functions implemented before there were releases.

    What they depend on comes first, so it may take several rounds.
    """
    current = Release.objects.filter(
        function=OuterRef("pk"), digest=OuterRef("closure_digest"), yanked=""
    )
    lacking = Function.objects.filter(
        ~Exists(current),
        pk__gt=cursor,
        status=Function.Status.IMPLEMENTED,
        deleted_at=None,
        judging=False,
        elected__language=Work.Language.PYTHON,
        kind__in=[kind.name for kind in KINDS.values() if kind.has_exports],
    )
    ids = list(lacking.order_by("pk").values_list("pk", flat=True)[:SWEPT_AT_ONCE])
    done = set[int]()
    for pk in ids:
        if pk not in done:
            done |= _record_missing(pk)
    return ids[-1] if len(ids) == SWEPT_AT_ONCE else 0


@transaction.atomic
def _record_missing(function_id: int) -> set[int]:
    """Record the release of a function, together with its circle; return their ids."""
    function = Function.objects.get(pk=function_id)
    keys = [name.lower() for name in function.circle] or [function.name_key]
    locked = Function.objects.filter(name_key__in=keys, deleted_at=None, judging=False)
    # Elections under way have the rows locked, and record what is missing themselves.
    members = list(locked.order_by("pk").select_for_update(no_key=True, skip_locked=True))
    if len(members) == len(keys):
        record_releases(members)
    return {member.pk for member in members}


def _yank(functions: Iterable[Function]) -> None:
    reasons: dict[Release.Yanked, list[int]] = {
        Release.Yanked.UNSEATED: [],
        Release.Yanked.DELETED: [],
    }
    for function in functions:
        if function.deleted_at is not None:
            reasons[Release.Yanked.DELETED].append(function.pk)
        elif function.elected_id is None:
            reasons[Release.Yanked.UNSEATED].append(function.pk)
    for reason, ids in reasons.items():
        if ids:
            _yank_all(Release.objects.filter(function__in=ids), reason)


def _yank_all(releases: QuerySet[Release], reason: Release.Yanked) -> None:
    releases.filter(yanked="").update(yanked=reason, yanked_at=timezone.now())


def _record(functions: Mapping[int, Function]) -> None:
    works = Implementation.objects.filter(
        pk__in=[function.elected_id for function in functions.values()],
        language=Work.Language.PYTHON,
    ).defer("code", "generated")
    sources = {work.function_id: bytes(work.source_sha256) for work in works}
    links = _links(functions.values())
    targets = {target for each in links.values() for target, _ in each}
    by_key = _latest(
        Q(function__in=targets) | Q(name_key__in=[one.name_key for one in functions.values()])
    )
    changed = {
        pk: function
        for pk, function in functions.items()
        if pk in sources and _is_other(by_key.get(function.name_key), function)
    }
    released = {
        one.function: one.number
        for one in by_key.values()
        if not one.yanked and one.function not in changed
    }
    numbers = {
        pk: former.number + 1 if (former := by_key.get(changed[pk].name_key)) else 1
        for pk in _complete(changed.keys(), links, released)
    }
    names = dict(Function.objects.filter(pk__in=targets).values_list("pk", "name"))
    known = released | numbers
    Release.objects.bulk_create(
        Release(
            function=changed[pk],
            name=changed[pk].name,
            name_key=changed[pk].name_key,
            number=number,
            implementation_id=changed[pk].elected_id or 0,
            source_sha256=sources[pk],
            digest=bytes(changed[pk].closure_digest),
            requires=sorted([names[one], known[one]] for one, _ in links[pk] if one in known),
            circle=changed[pk].circle,
        )
        for pk, number in numbers.items()
    )


def _is_other(latest: _Latest | None, function: Function) -> bool:
    """Return whether a function means something else than its latest release.

    If it has none for a while, and then means the same again, the release counts again.
    """
    if latest is None or (latest.function, latest.digest) != (
        function.pk,
        bytes(function.closure_digest),
    ):
        return True
    if latest.yanked == Release.Yanked.UNSEATED:
        Release.objects.filter(function=function, number=latest.number).update(
            yanked="", yanked_at=None
        )
        return False
    return bool(latest.yanked)


def _links(functions: Iterable[Function]) -> dict[int, list[tuple[int, bool]]]:
    """Return what the functions' implementations name, as (function, is optional), by function."""
    of_work = {function.elected_id: function.pk for function in functions}
    rows = Dependency.objects.filter(implementation__in=of_work).exclude(target=None)
    found: dict[int, list[tuple[int, bool]]] = {pk: [] for pk in of_work.values()}
    for work, target, is_optional in rows.values_list("implementation", "target", "is_optional"):
        if target != of_work[work]:
            found[of_work[work]].append((target, is_optional))
    return found


def _latest(condition: Q) -> dict[str, _Latest]:
    """Return the latest releases of names, by key."""
    rows = Release.objects.filter(condition).order_by("name_key", "-number").distinct("name_key")
    return {
        key: _Latest(function, number, bytes(digest), yanked)
        for key, function, number, digest, yanked in rows.values_list(
            "name_key", "function", "number", "digest", "yanked"
        )
    }


def _complete(
    functions: Collection[int],
    links: Mapping[int, Collection[tuple[int, bool]]],
    released: Collection[int],
) -> set[int]:
    """Return the functions whose dependencies all have releases, or get one together with them."""
    left = set(functions)
    while lacking := {
        pk
        for pk in left
        if any(
            not is_optional and target not in released and target not in left
            for target, is_optional in links[pk]
        )
    }:
        left -= lacking
    return left
