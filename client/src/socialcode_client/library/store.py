"""A folder of wheels, each named by its hash, which is compared each time that one is read."""

import hashlib
import io
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from socialcode_client.configuration import cache_folder
from socialcode_client.errors import SocialCodeError
from socialcode_client.library.locks import Locked

PACKAGE = "sc"
# Far more than any function has; a wheel isn't trusted to say how large it is.
_MOST_SOURCE_BYTES = 16 * 2**20


class WrongContent(SocialCodeError):
    """A file isn't what its hash says, so it is not used."""


@dataclass(frozen=True, slots=True)
class Store:
    """Wheels on this machine."""

    folder: Path = field(default_factory=lambda: cache_folder() / "library")

    def modules(self, locked: Locked, fetch: Callable[[Locked], bytes]) -> Mapping[str, str]:
        """Return the sources of a release by module; fetched, if it isn't here.

        Raises WrongContent.
        """
        return modules_of(self._read(locked, fetch), locked)

    def _read(self, locked: Locked, fetch: Callable[[Locked], bytes]) -> bytes:
        path = self.folder / "wheels" / locked.sha256 / locked.filename
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            content = b""
        if hashlib.sha256(content).hexdigest() == locked.sha256:
            return content
        content = fetch(locked)
        found = hashlib.sha256(content).hexdigest()
        if found != locked.sha256:
            raise WrongContent(
                f"{locked.url} has the SHA-256 {found}, but {locked.sha256} is promised. "
                "It is not used."
            )
        write_whole(path, content)
        return content

    def remembered(self, key: str) -> str | None:
        """Return a text that was kept."""
        try:
            return self._note(key).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def remember(self, key: str, text: str) -> None:
        """Keep a text."""
        write_whole(self._note(key), text.encode())

    def _note(self, key: str) -> Path:
        return self.folder / "sets" / f"{hashlib.sha256(key.encode()).hexdigest()}.toml"


def modules_of(wheel: bytes, locked: Locked) -> dict[str, str]:
    """Return the sources of a wheel by the names of modules."""
    found: dict[str, str] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            for entry in archive.infolist():
                folder, _, file = entry.filename.rpartition("/")
                if folder == PACKAGE and file.endswith(".py"):
                    if entry.file_size > _MOST_SOURCE_BYTES:
                        raise WrongContent(f"{locked.filename} is too large.")
                    source = archive.read(entry).decode("utf-8")
                    found[f"{PACKAGE}.{file.removesuffix('.py')}"] = source
    except (zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise WrongContent(f"{locked.filename} is no wheel: {error}") from error
    return found


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(name).replace(path)
