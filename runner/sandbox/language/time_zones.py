"""Time zones from memory: files are out of reach when a program asks for one."""

from __future__ import annotations

import importlib.util
import io
import zoneinfo
import zoneinfo._common
from pathlib import Path
from typing import Any

_SYSTEM = Path("/usr/share/zoneinfo")
_MAGIC = b"TZif"

_contents: dict[str, bytes] = {}


def install() -> None:
    """Read all zones, of which many are one under several names, and have them found here."""
    folder = _folder()
    shared: dict[bytes, bytes] = {}
    for path in sorted(folder.rglob("*")):
        key = path.relative_to(folder).as_posix()
        if path.is_file() and not key.startswith(("posix/", "right/")):
            content = path.read_bytes()
            if content.startswith(_MAGIC):
                _contents[key] = shared.setdefault(content, content)
    zoneinfo.reset_tzpath(to=())
    common: Any = zoneinfo._common  # noqa: SLF001
    common.load_tzdata = _load
    zoneinfo.available_timezones = _available_timezones


def _folder() -> Path:
    found = importlib.util.find_spec("tzdata")
    places = found.submodule_search_locations if found else None
    return Path(next(iter(places))) / "zoneinfo" if places else _SYSTEM


def _load(key: str) -> io.BytesIO:
    content = _contents.get(key)
    if content is None:
        raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
    return io.BytesIO(content)


def _available_timezones() -> set[str]:
    return {key for key in _contents if key not in ("posixrules", "localtime")}
