"""Reads locks: `pylock.toml`, a requirements file with hashes, or numbers by name."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from functions.errors import Complaint, refuse_all
from functions.export.distribution import function_of_project, normalise
from functions.names import is_identifier, name_key

PYLOCK, REQUIREMENTS, RELEASES = "pylock", "requirements", "releases"
MAX_LOCK_CHARACTERS = 1_000_000
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PACKAGE = re.compile(r"\s*\[\[\s*packages\s*\]\]")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
_PREFIX = "sc-"
_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(.*)", re.DOTALL)
_PINNED = re.compile(r"===?\s*([^\s;,]+)\s*(?:;.*?)?((?:\s--hash[= ]\S+)*)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entry:
    """A release that a lock names, on this line; `files` are SHA-256 by file name, if it has any.

    Files of a requirements file have no names; their hashes are `hashes`.
    """

    key: str  # the function's name in lower case
    number: int
    line: int | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    hashes: Sequence[str] = ()


def read_lock(form: str, lock: Any) -> list[Entry]:
    """Return what a lock of this form names of this site. Raises a Refusal with all mistakes."""
    found: dict[str, Entry] = {}
    complaints: list[Complaint] = []
    for one in _READERS[form](lock):
        if isinstance(one, Complaint):
            complaints.append(one)
        elif (former := found.setdefault(one.key, one)) is not one:
            message = _("%(name)s is named twice, first on line %(line)s.")
            message %= {"name": one.key, "line": former.line or "?"}
            complaints.append(Complaint(form, "named_twice", message, one.line))
    if not found and not complaints:
        message = _("It names no function of this site; their packages begin with sc-.")
        complaints.append(Complaint(form, "empty_lock", message))
    refuse_all(complaints)
    return list(found.values())


def _read_numbers(lock: Mapping[str, int]) -> Iterator[Entry | Complaint]:
    for name, number in lock.items():
        if not is_identifier(name):
            yield _no_function(RELEASES, name, None)
        elif not _NUMBER.fullmatch(str(number)):
            yield _no_number(RELEASES, name, str(number), None)
        else:
            yield Entry(name_key(name), number)


def _read_pylock(text: str) -> Iterator[Entry | Complaint]:
    try:
        packages = tomllib.loads(text).get("packages", [])
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        place = _PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place else (None, None)
        message = _("It is no TOML: %(error)s") % {"error": str(error)[:200]}
        yield Complaint(PYLOCK, "unreadable_lock", message, line, column)
        return
    lines = [at for at, row in enumerate(text.split("\n"), 1) if _PACKAGE.match(row)]
    if not isinstance(packages, list):
        packages = [packages]
    for number, package in enumerate(packages):
        line = lines[number] if len(lines) == len(packages) else None
        if not isinstance(package, dict):
            message = _("A package is a table, [[packages]].")
            yield Complaint(PYLOCK, "unreadable_lock", message, line)
        elif _is_ours(package):
            yield _package(package, line)


def _is_ours(package: Mapping[str, Any]) -> bool:
    index = package.get("index")
    ours = settings.PUBLIC_URL + reverse("package-index")
    is_elsewhere = isinstance(index, str) and index.rstrip("/") != ours.rstrip("/")
    return normalise(str(package.get("name", ""))).startswith(_PREFIX) and not is_elsewhere


def _package(package: Mapping[str, Any], line: int | None) -> Entry | Complaint:
    name, version = str(package["name"]), str(package.get("version", ""))
    key = function_of_project(normalise(name))
    if not key:
        return _no_function(PYLOCK, name, line)
    if not _NUMBER.fullmatch(version):
        return _no_number(PYLOCK, name, version, line)
    wheels = package.get("wheels") or []
    sdist = package.get("sdist")
    files: dict[str, str] = {}
    for file in [*(wheels if isinstance(wheels, list) else [wheels]), *([sdist] if sdist else [])]:
        hashes = file.get("hashes") if isinstance(file, dict) else None
        sha256 = str(hashes.get("sha256", "")) if isinstance(hashes, dict) else ""
        if not _SHA256.fullmatch(sha256):
            return _no_hash(PYLOCK, name, line)
        files[str(file.get("name") or str(file.get("url", "")).rpartition("/")[2])] = sha256
    return Entry(key, int(version), line, files) if files else _no_hash(PYLOCK, name, line)


def _read_requirements(text: str) -> Iterator[Entry | Complaint]:
    for line, row in _logical_lines(text):
        found = _REQUIREMENT.fullmatch(row)
        if found is None or not normalise(found[1]).startswith(_PREFIX):
            continue
        name, pinned = found[1], _PINNED.fullmatch(found[2])
        key = function_of_project(normalise(name))
        if not key:
            yield _no_function(REQUIREMENTS, name, line)
        elif pinned is None or not _NUMBER.fullmatch(pinned[1]):
            yield _no_number(REQUIREMENTS, name, found[2], line)
        else:
            hashes = re.findall(r"--hash[= ](\S+)", pinned[2])
            ours = [one.removeprefix("sha256:") for one in hashes]
            if ours and all(map(_SHA256.fullmatch, ours)):
                yield Entry(key, int(pinned[1]), line, hashes=ours)
            else:
                yield _no_hash(REQUIREMENTS, name, line)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines with their continuations and without comments and options, as pip does."""
    parts: list[str] = []
    for number, row in enumerate(text.split("\n"), 1):
        code = re.sub(r"(^|\s)#.*", "", row.rstrip("\r"))
        parts.append(code.removesuffix("\\"))
        if not code.endswith("\\"):
            joined = " ".join(part.strip() for part in parts).strip()
            if joined and not joined.startswith("-"):
                yield number - len(parts) + 1, joined
            parts = []
    if joined := " ".join(part.strip() for part in parts).strip():
        yield text.count("\n") + 2 - len(parts), joined


_READERS: Mapping[str, Callable[[Any], Iterator[Entry | Complaint]]] = {
    PYLOCK: _read_pylock,
    REQUIREMENTS: _read_requirements,
    RELEASES: _read_numbers,
}


def _no_function(form: str, name: str, line: int | None) -> Complaint:
    message = _("%(name)s is no name of a function here.") % {"name": ascii(name[:80])}
    return Complaint(form, "no_release", message, line)


def _no_number(form: str, name: str, given: str, line: int | None) -> Complaint:
    message = _("%(name)s needs the exact number of a release, such as 3, and has %(given)s.")
    message %= {"name": name, "given": ascii(given[:80])}
    return Complaint(form, "invalid_number", message, line)


def _no_hash(form: str, name: str, line: int | None) -> Complaint:
    message = _("%(name)s has a file without a SHA-256; write the lock again, with hashes.")
    return Complaint(form, "no_hash", message % {"name": name}, line)
