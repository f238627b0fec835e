"""Brings functions with their tests, and what these use, into a folder."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from socialcode_client.client import Client
from socialcode_client.errors import NotFound, SocialCodeError
from socialcode_client.folder.layout import (
    CONFTEST,
    PYPROJECT,
    SITE_MODULE,
    Piece,
    module_text,
    piece_of,
    piece_of_document,
    test_file,
)
from socialcode_client.folder.state import STATE, Entry, State, digest_of
from socialcode_client.models import Function, Implementation, Test

_PYTHON_KINDS = ("function", "class")


class InTheWay(SocialCodeError):
    """Files have been changed here, which a pull would overwrite."""

    def __init__(self, paths: list[str]) -> None:
        listed = ", ".join(paths)
        super().__init__(
            f"Changed here since the last pull: {listed}. Push them first, or --force."
        )
        self.paths = paths


@dataclass(slots=True)
class Pulled:
    """The files that a pull has written; `notes` say what is different from the site."""

    state: State
    written: list[str] = field(default_factory=list)
    unchanged: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Gathering:
    """Functions with everything that they and their tests use."""

    client: Client
    progress: Callable[[str], object]
    pieces: dict[str, Piece] = field(default_factory=dict)
    chosen: dict[str, Implementation | None] = field(default_factory=dict)
    tests: list[Test] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, function: Function, implementation: Implementation | None) -> None:
        self.chosen[function.name] = implementation
        self.pieces[function.name] = piece_of(function, implementation)
        self.tests += [test for test in function.tests if test.counts or test.state == "draft"]
        for test in self.tests:
            self.follow(test.depends_on)
        self.follow(self.pieces[function.name].uses)

    def follow(self, names: Iterable[str]) -> None:
        """Add functions by name, and what they use."""
        left = list(names)
        while left:
            name = left.pop()
            if name in self.pieces:
                continue
            self.progress(name)
            piece = self._used(name)
            if piece is not None:
                self.pieces[name] = piece
                left += piece.uses

    def _used(self, name: str) -> Piece | None:
        try:
            function = self.client.function(name)
        except NotFound:
            self.notes.append(f"{name} is missing on the site too.")
            return None
        current = function.current
        if function.kind == "document" and current is not None:
            # Its own text keeps the order of members, but has links as they are written.
            value = self.client.document(name) if current.depends_on else json.loads(current.code)
            return piece_of_document(function, value)
        if function.kind not in _PYTHON_KINDS or (current and current.language != "python"):
            self.notes.append(f"{name} is no Python ({function.kind}), so it is not here.")
            return None
        if current is None:
            self.notes.append(f"{name} has no implementation yet; calling it fails.")
        self.chosen[function.name] = current
        return piece_of(function, current)


def pull(
    client: Client,
    names: list[str],
    root: Path,
    *,
    implementation: int | None = None,
    force: bool = False,
    progress: Callable[[str], object] = str,
) -> Pulled:
    """Write functions into a folder. Raises InTheWay if changes would be lost.

    `implementation` is the id of the one to take, of the only function; else the current ones.
    """
    state = _state_of(root, client.address)
    gathered = _Gathering(client, progress)
    for name in names:
        progress(name)
        function = client.function(name)
        chosen = _choice(client, function, implementation)
        _require_python(function, chosen)
        gathered.add(function, chosen)
        if function.name not in state.functions:
            state.functions.append(function.name)
    files, entries, notes = _files(gathered)
    changed = [path for path in files if path in state.files and state.is_changed(path)]
    foreign = [
        path
        for path, text in files.items()
        if path not in state.files and state.text(path) not in (None, text)
    ]
    if not force and (changed or foreign):
        raise InTheWay(sorted([*changed, *foreign]))
    pulled = Pulled(state, notes=[*gathered.notes, *notes])
    for path, text in files.items():
        if state.text(path) != text:
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            pulled.written.append(path)
        else:
            pulled.unchanged += 1
    state.files.update(entries)
    state.save()
    return pulled


def _state_of(root: Path, site: str) -> State:
    if not (root / STATE).exists():
        return State(root, site)
    state = State.load(root)
    if state.site != site:
        raise SocialCodeError(f"{root} was pulled from {state.site}; pull into another folder.")
    return state


def _require_python(function: Function, chosen: Implementation | None) -> None:
    language = chosen.language if chosen else function.language
    if function.kind not in _PYTHON_KINDS or language != "python":
        kind = language if function.kind in _PYTHON_KINDS else function.kind
        raise SocialCodeError(
            f"{function.name} is no Python ({kind}), so pytest can't test it. "
            f"Read it with: socialcode show {function.name} --code"
        )


def _choice(
    client: Client, function: Function, implementation: int | None
) -> Implementation | None:
    if implementation is None:
        return function.current
    known = ", ".join(f"{one.id} ({name_of_work(one)})" for one in function.implementations)
    try:
        found = client.implementation(implementation)
    except NotFound as error:
        raise SocialCodeError(
            f"There is no implementation with the id {implementation}. "
            f"{function.name} has {known or 'none'}."
        ) from error
    if found.function != function.name:
        raise SocialCodeError(f"{implementation} is an implementation of {found.function}.")
    return found


def name_of_work(work: Implementation | Test) -> str:
    """Return a work's number and author."""
    return f"{work.label} by {work.author}"


def _files(gathered: _Gathering) -> tuple[dict[str, str], dict[str, Entry], list[str]]:
    """Return the texts of all files, and which of them are works."""
    pieces = gathered.pieces
    files = {
        "pyproject.toml": PYPROJECT,
        "conftest.py": CONFTEST,
        "sc/_site.py": SITE_MODULE,
    }
    entries: dict[str, Entry] = {}
    notes: list[str] = []
    for name, piece in pieces.items():
        files[piece.path] = text = module_text(piece, pieces)
        work = gathered.chosen.get(name)
        if name in gathered.chosen:
            entries[piece.path] = _entry(name, work, text)
    for test in gathered.tests:
        file = test_file(test, pieces)
        files[file.path] = file.text
        entries[file.path] = _entry(test.function, test, file.text)
        if file.note:
            notes.append(f"{file.path} is not run: {file.note}.")
    return files, entries, notes


def _entry(function: str, work: Implementation | Test | None, text: str) -> Entry:
    if work is None:
        return Entry(function, "implementation", digest_of(text))
    is_draft = work.state == "draft"
    return Entry(
        function,
        "test" if isinstance(work, Test) else "implementation",
        digest_of(text),
        based_on=work.based_on if is_draft else work.id,
        number=work.number,
        title=work.title,
        draft=work.id if is_draft else None,
        version=work.version if is_draft else None,
    )
