"""Pinned versions: the implementations that a call uses, current or pinned by a signed lock."""

import functools
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.core.signing import BadSignature, Signer
from django.utils.translation import gettext as _

from functions.errors import Conflict, NotFound, Refusal
from functions.graph.algorithms import topological_order
from functions.graph.queries import CurrentRow, current_rows, living_functions
from functions.kinds import kind_of_work
from functions.models import MODULE_SOURCE, Dependency, Function, Implementation
from functions.names import is_identifier, name_key
from runner.programs.program import ModuleRow, module_row, source_hash
from runner.programs.sources import read_sources

# Cached closures per process, of some kilobytes each.
MAX_CACHED = 1_000
DIGEST_BYTES = 16


class Version(NamedTuple):
    """A function's implementation and the names that it marks."""

    name: str
    implementation: int
    sha256: bytes
    names: tuple[str, ...]
    kind: str
    owner: int  # of the function


@dataclass(frozen=True, slots=True)
class PinnedVersions:
    """A function's closure, dependencies first, and the lock that pins it.

    A client may send the lock later to call the same versions. It is signed, so only versions that
    were current together can be called.
    """

    name: str
    closure: tuple[Version, ...]
    rows: tuple[ModuleRow, ...]
    lock: str

    @property
    def owner(self) -> int:
        """The account that has the function."""
        return self.closure[-1].owner

    def load_sources(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return the sources with these hashes, in one query."""
        chosen = set(hashes)
        pks = [one.implementation for one in self.closure if one.sha256.hex() in chosen]
        works = Implementation.objects.filter(pk__in=pks)
        rows = works.values_list("source_sha256", MODULE_SOURCE)
        found = {bytes(sha256).hex(): code for sha256, code in rows}
        # Documents may have been revised since.
        return found | read_sources(sorted(chosen - found.keys()))


def current_versions(name: str, *, kind: str | None = None) -> PinnedVersions:
    """Return the current versions, in one query. Raises a Refusal if it can't be called.

    Raises NotFound also if it isn't of this kind.
    """
    rows = current_rows(name_key(name)) if is_identifier(name) else ()
    if not rows or kind not in (None, rows[0].kind):
        raise _no_function(name)
    return _versions_of(rows)


def versions_of_work(work: Implementation) -> PinnedVersions:
    """Return a work, which may be a draft, with the current versions of what it names.

    Raises a Refusal if it can't be called.
    """
    own = work.function.name_key
    markers = kind_of_work(work).find_markers(work.code).first_by_key()
    names = tuple(marker.name for key, marker in markers.items() if key != own)
    present = {
        name_key(version.name): version
        for name in names
        for version in current_versions(name).closure
    }
    if own in present:
        message = _("%(name)s can't be called: what it names leads back to it.")
        raise Conflict("circular", message % {"name": work.function.name})
    sha256 = source_hash(work.module_source)
    function = work.function
    present[own] = Version(function.name, work.pk, sha256, names, function.kind, function.owner_id)
    return _pinned_closure(own, present)


def pinned_versions(name: str, lock: str) -> PinnedVersions:
    """Return the versions that a lock pins, even if withdrawn. Raises a Refusal if invalid."""
    if not is_identifier(name) or not living_functions([name_key(name)]):
        raise _no_function(name)
    versions = _versions_of_pin(lock)
    if name_key(versions.name) != name_key(name):
        message = _("This lock is for %(name)s, not for %(called)s.")
        raise _bad_pin(message % {"name": versions.name, "called": name[:80]})
    return versions


@functools.lru_cache(MAX_CACHED)
def _versions_of(rows: tuple[CurrentRow, ...]) -> PinnedVersions:
    called = rows[0]
    if called.implementation is None:
        message = _("%(name)s has no current implementation yet.") % {"name": called.name}
        raise Conflict("not_implemented", message)
    present = {
        name_key(row.name): Version(
            row.name, row.implementation, row.sha256, row.names, row.kind, row.owner
        )
        for row in rows
        if row.implementation is not None and row.sha256 is not None
    }
    named = (name for version in present.values() for name in version.names)
    missing = called.blocked_by or next((n for n in named if name_key(n) not in present), "")
    if called.status == Function.Status.BLOCKED or missing:
        raise Conflict(
            "function_blocked",
            _("%(name)s can't be called: it depends on %(missing)s, which is missing or blocked.")
            % {"name": called.name, "missing": missing},
        )
    return _pinned_closure(name_key(called.name), present)


@functools.lru_cache(MAX_CACHED)
def _versions_of_pin(lock: str) -> PinnedVersions:
    try:
        digest, called, *pks = _signer().unsign_object(lock)
    except (BadSignature, ValueError) as error:
        raise _bad_pin(_("This lock was not returned by a call on this site.")) from error
    works = Implementation.objects.filter(pk__in=pks).select_related("function")
    works = works.defer("code", "generated")
    names: dict[int, tuple[str, ...]] = {}
    present = {work.function.name_key for work in works}
    found = Dependency.objects.filter(implementation__in=pks).order_by("id")
    for pk, name, is_optional in found.values_list("implementation_id", "name", "is_optional"):
        if not is_optional or name_key(name) in present:
            names[pk] = (*names.get(pk, ()), name)
    versions = {
        work.pk: Version(
            work.function.name,
            work.pk,
            bytes(work.source_sha256),
            names.get(work.pk, ()),
            work.function.kind,
            work.function.owner_id,
        )
        for work in works
    }
    closure = [versions[pk] for pk in pks if pk in versions]
    if _digest_of(closure) != digest:
        raise _bad_pin(_("The versions that this lock names no longer exist."))
    by_key = {name_key(version.name): version for version in closure}
    return _pinned_closure(name_key(versions[called].name), by_key)


def _pinned_closure(called: str, present: Mapping[str, Version]) -> PinnedVersions:
    """Return the versions of a closure in loading order, with a lock."""
    keys = list(present)
    numbers = {key: number for number, key in enumerate(keys)}

    def edges(number: int) -> list[int]:
        return [numbers[name_key(name)] for name in present[keys[number]].names]

    closure = tuple(present[keys[number]] for number in topological_order([numbers[called]], edges))
    rows = tuple(
        module_row(
            version.name,
            version.sha256,
            {present[name_key(name)].name for name in version.names} - {version.name},
        )
        for version in closure
    )
    pks = [version.implementation for version in (present[called], *closure)]
    lock = _signer().sign_object([_digest_of(closure), *pks], compress=True)
    return PinnedVersions(present[called].name, closure, rows, lock)


def _digest_of(closure: Iterable[Version]) -> str:
    digest = hashlib.sha256()
    for version in closure:
        digest.update(version.name.encode() + b"\0" + version.sha256)
    return digest.hexdigest()[: 2 * DIGEST_BYTES]


def _signer() -> Signer:
    return Signer(salt="functions.versions")


def _no_function(name: str) -> NotFound:
    message = _("There is no function %(name)s.") % {"name": ascii(name[:80])}
    return NotFound("not_found", message)


def _bad_pin(message: str) -> Refusal:
    return Refusal("invalid_lock", message, field="lock")
