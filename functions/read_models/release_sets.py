"""Sets of releases that belong together: functions with all that they need, now or at a time."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.errors import Conflict, NotFound, Refusal
from functions.models import Release, ReleaseFile
from functions.names import is_identifier, name_key

MAX_FUNCTIONS = 100
MAX_RELEASES = 5_000


class Change(NamedTuple):
    """A function whose release differs between two times; None: it wasn't needed or there."""

    name: str
    former: int | None
    latter: int | None


def parse_time(text: str, *, field: str) -> datetime | None:
    """Return a time in ISO 8601, UTC unless it says otherwise; of a date, its end.

    None if the text is empty. Raises a Refusal.
    """
    if not text:
        return None
    try:
        if len(text) == len("2026-05-03"):
            return datetime.combine(date.fromisoformat(text), time.max, UTC)
        found = datetime.fromisoformat(text)
    except ValueError:
        message = _("This is no time in ISO 8601, such as 2026-05-03 or 2026-05-03T12:00:00Z.")
        raise Refusal("invalid_time", message, field=field) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def release_set(names: Iterable[str], *, at: datetime | None = None) -> list[Release]:
    """Return the releases of functions and of all that they need, by name.

    They are the latest at that time, without those that had been yanked by then. Raises NotFound if
    a function had none, and Conflict while an election is under way.
    """
    keys = list(dict.fromkeys(map(name_key, names)))
    if not 0 < len(keys) <= MAX_FUNCTIONS:
        message = _("Name 1 to %(limit)s functions, each as function=Name.")
        raise Refusal("invalid_functions", message % {"limit": MAX_FUNCTIONS}, field="function")
    for key in keys:
        if not is_identifier(key):
            raise _no_release(key)
    found = _latest(keys, at or timezone.now())
    chosen = {release.name_key: release for release in found}
    wanted = _required(found)
    while wanted:
        if len(chosen) + len(wanted) > MAX_RELEASES:
            message = _("They need more than %(limit)s functions.")
            raise Refusal("too_many_functions", message % {"limit": MAX_RELEASES}, field="function")
        _refuse_conflicts(wanted, chosen)
        missing = {name: number for name, number in wanted.items() if name_key(name) not in chosen}
        found = _numbered(missing)
        chosen |= {release.name_key: release for release in found}
        wanted = _required(found)
    return [chosen[key] for key in sorted(chosen)]


def files_of_set(releases: Iterable[Release]) -> dict[int, list[ReleaseFile]]:
    """Return the files of releases, without content. Raises Conflict if they aren't built yet."""
    ids = {release.pk: release for release in releases}
    files: dict[int, list[ReleaseFile]] = {pk: [] for pk in ids}
    rows = ReleaseFile.objects.filter(release__in=ids).order_by("filename")
    for file in rows.defer("content", "metadata"):
        files[file.release_id].append(file)
    for pk, each in files.items():
        if not each:
            message = _("%(release)s has not been built yet. Try again in a minute.")
            raise Conflict("not_built", message % {"release": ids[pk]})
    return files


def changes_between(former: Sequence[Release], latter: Sequence[Release]) -> list[Change]:
    """Return what differs between two sets, by name."""
    numbers = [{release.name: release.number for release in each} for each in (former, latter)]
    names = sorted({*numbers[0], *numbers[1]})
    found = (Change(name, numbers[0].get(name), numbers[1].get(name)) for name in names)
    return [change for change in found if change.former != change.latter]


def _latest(keys: Sequence[str], at: datetime) -> list[Release]:
    rows = Release.objects.filter(
        Q(yanked="") | Q(yanked_at__gt=at), name_key__in=keys, created_at__lte=at
    )
    found = {row.name_key: row for row in rows.order_by("name_key", "-number").distinct("name_key")}
    for key in keys:
        if key not in found:
            raise _no_release(key)
    return list(found.values())


def _no_release(key: str) -> NotFound:
    message = _("%(name)s had no release at that time.") % {"name": ascii(key[:80])}
    return NotFound("no_release", message, field="function")


def _required(releases: Iterable[Release]) -> dict[str, int]:
    """Return the numbers of the releases that these need, by name."""
    wanted: dict[str, int] = {}
    for release in releases:
        requires = dict(release.requires)
        _refuse_other(requires, wanted)
        wanted |= requires
    return wanted


def _refuse_conflicts(wanted: Mapping[str, int], chosen: Mapping[str, Release]) -> None:
    _refuse_other(wanted, {release.name: release.number for release in chosen.values()})


def _refuse_other(wanted: Mapping[str, int], known: Mapping[str, int]) -> None:
    for name, number in wanted.items():
        if known.get(name, number) != number:
            message = _(
                "%(name)s is needed as release %(first)s and as %(second)s: elections were under "
                "way. Try another time."
            ) % {"name": name, "first": known[name], "second": number}
            raise Conflict("conflicting_releases", message)


def _numbered(wanted: Mapping[str, int]) -> list[Release]:
    rows = Release.objects.filter(name__in=wanted)
    numbers = Q()
    for number in set(wanted.values()):
        names = [name for name, one in wanted.items() if one == number]
        numbers |= Q(number=number, name__in=names)
    return list(rows.filter(numbers)) if wanted else []
