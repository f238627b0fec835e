"""Lock files of releases (PEP 751): which file of which function, by its hash."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from socialcode_client.errors import SocialCodeError

FILE_NAME = "pylock.toml"
_WHEEL = re.compile(r"[A-Za-z0-9_.]+-[0-9.]+-py3-none-any\.whl")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PREFIX = "sc-"


class BadLock(SocialCodeError):
    """A lock file can't be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Locked:
    """A release in a lock file, with its wheel."""

    name: str  # of the package: sc-...
    number: str
    filename: str
    url: str
    sha256: str
    size: int

    @classmethod
    def of(cls, package: Mapping[str, Any]) -> Self:
        """Return what a package's table says. Raises BadLock."""
        name = str(package.get("name", ""))
        wheels = package.get("wheels") or []
        if not wheels:
            raise BadLock(f"{name} has no wheel yet; its files are built some seconds after.")
        wheel = wheels[0]
        found = cls(
            name=name,
            number=str(package.get("version", "")),
            filename=str(wheel.get("name") or str(wheel.get("url", "")).rpartition("/")[2]),
            url=str(wheel.get("url", "")),
            sha256=str(wheel.get("hashes", {}).get("sha256", "")),
            size=int(wheel.get("size", 0)),
        )
        if not _WHEEL.fullmatch(found.filename) or not _SHA256.fullmatch(found.sha256):
            raise BadLock(f"{name} names no wheel with a SHA-256.")
        return found


@dataclass(frozen=True, slots=True)
class Lock:
    """The releases of a lock file by the names of their packages."""

    releases: Mapping[str, Locked]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the releases of functions in a lock file. Raises BadLock."""
        try:
            read = tomllib.loads(text)
            packages = read.get("packages", [])
            found = [Locked.of(each) for each in packages if _is_function(each)]
        except (tomllib.TOMLDecodeError, AttributeError, TypeError, ValueError) as error:
            raise BadLock(f"It is no lock file: {error}") from error
        return cls({each.name: each for each in found})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return the releases of a lock file. Raises BadLock."""
        try:
            return cls.parse(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise BadLock(f"{path} can't be read: {error}") from error
        except BadLock as error:
            raise BadLock(f"{path}: {error}") from error


def _is_function(package: Mapping[str, Any]) -> bool:
    return str(package.get("name", "")).startswith(_PREFIX)


def package_of(function: str) -> str:
    """Return the name of a function's package, as the site's index has it."""
    key = function.lower()
    if re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)*", key):
        return f"{_PREFIX}{key.replace('_', '-')}"
    return f"{_PREFIX}0-{key.encode().hex()}"


def function_of(package: str) -> str:
    """Return the function of a package, in lower case. Raises BadLock."""
    rest = package.removeprefix(_PREFIX)
    if not rest.startswith("0-"):
        return rest.replace("-", "_")
    try:
        return bytes.fromhex(rest.removeprefix("0-")).decode()
    except ValueError as error:
        raise BadLock(f"{package} is no function's package.") from error
