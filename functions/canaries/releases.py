"""Finds the releases of a lock, compares their hashes, and adds what they need."""

from collections.abc import Iterable, Sequence

from django.db import connection
from django.utils.translation import gettext as _

from functions.canaries.locks import Entry
from functions.errors import Complaint, Refusal, refuse_all
from functions.export.distribution import distribution_name
from functions.models import Release, ReleaseFile
from functions.names import name_key

MAX_RELEASES = 1_000
_NUMBERED = """
    select r.id from unnest(%s::text[], %s::int[]) as lock (name_key, number)
    join functions_release r using (name_key, number)
"""


def resolve_lock(form: str, entries: Sequence[Entry]) -> list[Release]:
    """Return the releases that a lock of this form names, and all that they need, by name.

    Raises a Refusal with all mistakes.
    """
    _refuse_too_many(form, len(entries))
    found = _numbered((entry.key, entry.number) for entry in entries)
    chosen = {release.name_key: release for release in found}
    refuse_all(_missing(form, entries, chosen))
    refuse_all(_wrong_files(form, entries, chosen))
    lines = {entry.key: entry.line for entry in entries}
    while found:
        refuse_all(_contradictions(form, found, chosen, lines))
        wanted = {
            (name_key(name), number)
            for release in found
            for name, number in release.requires
            if name_key(name) not in chosen
        }
        found = _numbered(wanted)
        chosen |= {release.name_key: release for release in found}
        _refuse_too_many(form, len(chosen))
    return [chosen[key] for key in sorted(chosen)]


def current_numbers(keys: Iterable[str]) -> dict[str, int]:
    """Return the numbers of the current releases of names; those without one are missing."""
    rows = Release.objects.filter(name_key__in=list(keys), yanked="")
    latest = rows.order_by("name_key", "-number").distinct("name_key")
    return dict(latest.values_list("name_key", "number"))


def _numbered(pairs: Iterable[tuple[str, int]]) -> list[Release]:
    """Return the releases of these names and numbers that exist."""
    wanted = sorted(pairs)
    if not wanted:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_NUMBERED, [[key for key, _ in wanted], [number for _, number in wanted]])
        ids = [pk for (pk,) in cursor.fetchall()]
    return list(Release.objects.filter(pk__in=ids).order_by("name_key"))


def _refuse_too_many(form: str, count: int) -> None:
    if count > MAX_RELEASES:
        message = _("A lock has at most %(limit)s releases of this site, with all that they need.")
        raise Refusal("too_many_releases", message % {"limit": MAX_RELEASES}, field=form)


def _missing(form: str, entries: Iterable[Entry], chosen: dict[str, Release]) -> list[Complaint]:
    message = _("%(name)s has no release %(number)s.")
    return [
        Complaint(
            form,
            "no_release",
            message % {"name": distribution_name(entry.key), "number": entry.number},
            entry.line,
        )
        for entry in entries
        if entry.key not in chosen
    ]


def _wrong_files(
    form: str, entries: Sequence[Entry], chosen: dict[str, Release]
) -> list[Complaint]:
    """Return what the lock has of files that aren't the releases', or have another hash."""
    stored: dict[str, dict[str, str]] = {key: {} for key in chosen}
    keys = {release.pk: key for key, release in chosen.items()}
    if any(entry.files or entry.hashes for entry in entries):
        rows = ReleaseFile.objects.filter(release__in=keys)
        for pk, filename, sha256 in rows.values_list("release", "filename", "sha256"):
            stored[keys[pk]][filename] = sha256
    found = []
    for entry in entries:
        ours = stored[entry.key]
        for filename, sha256 in entry.files.items():
            if filename not in ours:
                message = _("%(file)s is no file of this release; it has %(files)s.")
                message %= {"file": ascii(filename[:200]), "files": ", ".join(ours) or _("none")}
                found.append(Complaint(form, "no_such_file", message, entry.line))
            elif ours[filename] != sha256:
                message = _("%(file)s has the SHA-256 %(sha256)s, and another one in the lock.")
                message %= {"file": filename, "sha256": ours[filename]}
                found.append(Complaint(form, "wrong_hash", message, entry.line))
        for sha256 in entry.hashes:
            if sha256 not in ours.values():
                message = _("%(sha256)s is the hash of no file of %(release)s.")
                message %= {"sha256": sha256, "release": str(chosen[entry.key])}
                found.append(Complaint(form, "wrong_hash", message, entry.line))
    return found


def _contradictions(
    form: str,
    found: Iterable[Release],
    chosen: dict[str, Release],
    lines: dict[str, int | None],
) -> list[Complaint]:
    """Return where a release needs another release of a function than the lock has."""
    complaints = []
    for release in found:
        for name, number in release.requires:
            other = chosen.get(name_key(name))
            if other is not None and other.number != number:
                message = _("%(release)s needs %(name)s %(number)s, and the lock has %(other)s.")
                message %= {
                    "release": str(release),
                    "name": name,
                    "number": number,
                    "other": other.number,
                }
                line = lines.get(release.name_key)
                complaints.append(Complaint(form, "contradicting_lock", message, line))
    return complaints
