"""The record of a pull in its folder: which file is which work, and how it was written."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal, Self

from socialcode_client.client import Noun
from socialcode_client.errors import SocialCodeError

STATE = ".socialcode/state.json"
_VERSION = 1
Kind = Literal["implementation", "test"]
NOUNS: dict[Kind, Noun] = {"implementation": "implementations", "test": "tests"}


class NoFolder(SocialCodeError):
    """This isn't a pulled folder, or its memory is damaged."""


@dataclass(slots=True)
class Entry:
    """A file, and the work that it is."""

    function: str
    kind: Kind
    digest: str = ""  # of the file as it was last written or pushed; empty if it is new
    based_on: int | None = None  # the work that was pulled
    number: int | None = None
    title: str = ""
    draft: int | None = None  # the draft that was made of it
    version: int | None = None  # of that draft

    @property
    def noun(self) -> Noun:
        return NOUNS[self.kind]


@dataclass(slots=True)
class State:
    """The memory of a folder."""

    root: Path
    site: str
    functions: list[str] = field(default_factory=list)  # those that were asked for
    files: dict[str, Entry] = field(default_factory=dict)  # by path, with slashes

    @classmethod
    def load(cls, root: Path) -> Self:
        """Return the memory of a folder. Raises NoFolder."""
        try:
            read = json.loads((root / STATE).read_text(encoding="utf-8"))
            files = {path: Entry(**entry) for path, entry in read["files"].items()}
            if read["version"] > _VERSION:
                raise NoFolder(f"{root} was pulled by a newer client; update socialcode-client.")
            return cls(root, read["site"], read["functions"], files)
        except FileNotFoundError as error:
            raise NoFolder(
                f"{root} was not pulled from a site. Begin with: socialcode pull NAME"
            ) from error
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise NoFolder(f"{root / STATE} is damaged ({error}); pull anew elsewhere.") from error

    @classmethod
    def find(cls, place: Path) -> Self:
        """Return the memory of the folder that a path is in. Raises NoFolder."""
        for folder in (place.absolute(), *place.absolute().parents):
            if (folder / STATE).exists():
                return cls.load(folder)
        raise NoFolder(f"{place} is in no folder that was pulled. Begin with: socialcode pull NAME")

    def save(self) -> None:
        """Write the memory."""
        target = self.root / STATE
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(
            {
                "version": _VERSION,
                "site": self.site,
                "functions": self.functions,
                "files": {path: asdict(entry) for path, entry in sorted(self.files.items())},
            },
            indent=2,
        )
        fresh = target.with_suffix(".new")
        fresh.write_text(f"{text}\n", encoding="utf-8")
        fresh.replace(target)

    def path_of(self, file: Path) -> str:
        """Return how a file is called here. Raises NoFolder if it isn't in the folder."""
        try:
            return file.absolute().relative_to(self.root.absolute()).as_posix()
        except ValueError as error:
            raise NoFolder(f"{file} is not in {self.root}.") from error

    def text(self, path: str) -> str | None:
        """Return the text of a file, or None if there is none."""
        try:
            return (self.root / path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def is_changed(self, path: str) -> bool:
        """Tell whether a file differs from what was pulled or pushed."""
        text = self.text(path)
        entry = self.files.get(path)
        return text is not None and (entry is None or digest_of(text) != entry.digest)

    def changed(self) -> Iterator[tuple[str, Entry]]:
        """Yield the works whose files are new or changed."""
        for path, entry in sorted(self.files.items()):
            if self.is_changed(path):
                yield path, entry
        yield from self._new()

    def entry(self, path: str) -> Entry | None:
        """Return which work a file is, also if it is new."""
        return self.files.get(path) or entry_of(path)

    def _new(self) -> Iterator[tuple[str, Entry]]:
        files = [*self.root.glob("sc/*.py"), *self.root.glob("tests/*/*.py")]
        for path in sorted(self.path_of(file) for file in files):
            entry = None if path in self.files else entry_of(path)
            if entry is not None:
                yield path, entry


def entry_of(path: str) -> Entry | None:
    """Return which work a new file would be: `sc/Name.py`, or `tests/Name/test_....py`."""
    parts = PurePosixPath(path).parts
    stem = PurePosixPath(path).stem
    match parts:
        case ("sc", _) if not stem.startswith("_"):
            return Entry(stem, "implementation")
        case ("tests", function, _) if stem.startswith("test"):
            title = stem.removeprefix("test").strip("_").replace("_", " ")
            return Entry(function, "test", title=title)
        case _:
            return None


def digest_of(text: str) -> str:
    """Return a hash of a file, whatever its line ends."""
    return hashlib.sha256("\n".join(text.splitlines()).encode()).hexdigest()
