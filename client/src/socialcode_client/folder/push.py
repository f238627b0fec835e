"""Brings changed files back to the site, as drafts that name what they are based on."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from socialcode_client.client import Client
from socialcode_client.errors import Conflict, NotFound, Problem, SocialCodeError
from socialcode_client.folder.source import Original, Unmarked, original
from socialcode_client.folder.state import Entry, State, digest_of
from socialcode_client.models import Implementation, Test


class InFile(SocialCodeError):
    """A mistake in a file, with its place."""

    def __init__(self, path: str, message: str, line: int | None, column: int | None) -> None:
        place = ":".join(str(part) for part in (path, line, column) if part)
        super().__init__(f"{place}: {message}")
        self.path, self.line, self.column, self.message = path, line, column, message


@dataclass(frozen=True, slots=True)
class Pushed:
    """A file that is a draft now; `is_new` if there was no draft of it before."""

    path: str
    entry: Entry
    is_new: bool


def targets(state: State, files: Iterable[Path]) -> list[tuple[str, Entry]]:
    """Return the works of these files; without any, those that are changed. Raises NoFolder."""
    named = list(files)
    if not named:
        return list(state.changed())
    return list(_named(state, named))


def drafts(state: State, files: Iterable[Path]) -> list[tuple[str, Entry]]:
    """Return the works of these files; without any, those with a draft or a change."""
    named = list(files)
    if named:
        return list(_named(state, named))
    changed = dict(state.changed())
    kept = {path: entry for path, entry in state.files.items() if entry.draft is not None}
    return sorted({**kept, **changed}.items())


def _named(state: State, named: Iterable[Path]) -> Iterator[tuple[str, Entry]]:
    for file in named:
        path = state.path_of(file)
        entry = state.entry(path)
        if entry is None or state.text(path) is None:
            raise SocialCodeError(
                f"{file} is no implementation (sc/Name.py) and no test (tests/Name/test_x.py)."
            )
        yield path, entry


def push(
    client: Client,
    state: State,
    works: Iterable[tuple[str, Entry]],
    *,
    title: str = "",
) -> list[Pushed]:
    """Save works as drafts. Raises InFile, Problem; what came before is saved all the same."""
    pushed = []
    for path, entry in works:
        if entry.draft is not None and not state.is_changed(path):
            continue
        pushed.append(_push(client, state, path, entry, title))
        state.save()
    return pushed


def code_of(state: State, path: str) -> Original:
    """Return the code of a file. Raises InFile."""
    try:
        return original(state.text(path) or "")
    except Unmarked as error:
        raise InFile(path, str(error), error.line, None) from error


def _push(client: Client, state: State, path: str, entry: Entry, title: str) -> Pushed:
    found = code_of(state, path)
    try:
        work, is_new = _save(client, entry, found.code, title)
    except NotFound as error:
        raise SocialCodeError(
            f"{entry.function} isn't on {client.address}. "
            f"Define it first: socialcode new {entry.function}"
        ) from error
    except Problem as problem:
        raise located(problem, path, found) from problem
    entry.draft, entry.version, entry.title = work.id, work.version, work.title
    entry.digest = digest_of(state.text(path) or "")
    state.files[path] = entry
    return Pushed(path, entry, is_new)


def _save(
    client: Client, entry: Entry, code: str, title: str
) -> tuple[Implementation | Test, bool]:
    is_test = entry.kind == "test"
    based_on = entry.based_on
    if entry.draft is not None:
        save = client.save_test if is_test else client.save_implementation
        try:
            return save(entry.draft, code, version=entry.version), False
        except NotFound:
            entry.draft = None  # it was deleted on the site
        except Conflict as conflict:
            if conflict.code != "not_a_draft":
                raise
            based_on = entry.draft  # it was published
    make = client.draft_test if is_test else client.draft_implementation
    work = make(entry.function, code, title=title or entry.title, based_on=based_on)
    entry.based_on = based_on
    return work, True


@contextmanager
def located_in(state: State, path: str) -> Iterator[None]:
    """Tell problems of a file's code with their place in the file. Raises InFile, Problem."""
    try:
        yield
    except Problem as problem:
        raise located(problem, path, code_of(state, path)) from problem


def located(problem: Problem, path: str, found: Original) -> SocialCodeError:
    """Return a problem with the place in the file, if it is about a place in the code."""
    for mistake in problem.mistakes:
        if mistake.line:
            line = found.line_in_file(mistake.line)
            column = mistake.column + found.indent if mistake.column else None
            message = re.sub(r"^Line \d+: ", "", mistake.message or problem.detail)
            return InFile(path, message, line, column)
    if problem.code == "edit_conflict":
        return SocialCodeError(
            f"{path}: the draft was changed on the site since the last push. "
            "Compare it there, or pull it with --force."
        )
    return problem
