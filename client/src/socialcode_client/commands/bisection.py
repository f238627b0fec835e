"""Bisection: finds the release of a function that changed an answer."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from socialcode_client.client import Client
from socialcode_client.commands.reading import arguments_of
from socialcode_client.commands.screen import err, out
from socialcode_client.commands.session import AsJson, Url, open_client, print_json
from socialcode_client.errors import SocialCodeError
from socialcode_client.library.locks import FILE_NAME, Lock
from socialcode_client.library.store import Store
from socialcode_client.models import Change, Release

_SKIPPED = 125  # as `git bisect run` has it
# Prints what a call returns or raises; a text of its own on the way in.
_CALL = """
import json, sys
from importlib import import_module
name, args, kwargs = json.loads(sys.argv[1])
try:
    answer = repr(getattr(import_module("sc." + name), name)(*args, **kwargs))
except Exception as error:
    answer = f"{type(error).__name__}: {error}"
sys.stdout.write("\\n" + json.dumps(answer))
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(context_settings=settings)(bisect)


@dataclass(frozen=True, slots=True)
class Found:
    """The first release that behaves differently."""

    release: Release
    before: Release
    former: str
    latter: str
    changes: list[Change]


def bisect(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The function's name.")],
    since: Annotated[str, typer.Option(help="When all was well: a time in ISO 8601.")],
    until: Annotated[str, typer.Option(help="When it was not any more; else now.")] = "",
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Find the release since which a function behaves differently.

    With arguments, as of `call`: since which it answers differently. With a command after --: since
    which the command fails; it finds the function as sc.NAME, and exits with 125 to skip a release.
    All of it runs on this machine: it runs what others have written, with your rights.
    """
    command = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    with open_client(url) as client:
        function = client.function(name).name
        candidates = _candidates(client, function, since, until)
        probe = _Probe(client, Store(), function, command, context.args)
        found = _search(client, probe, candidates)
    if as_json:
        print_json(_described(found))
    else:
        _print(function, found)


def _candidates(client: Client, function: str, since: str, until: str) -> list[Release]:
    """Return the releases of a period, the one that it begins with first."""
    first, last = _time(since), _time(until) if until else datetime.now(UTC)
    releases = [one for one in client.releases(function) if one.created_at <= last and one.built]
    releases.reverse()
    later = [one for one in releases if one.created_at > first]
    former = [one for one in releases if one.created_at <= first]
    if not former:
        raise SocialCodeError(f"{function} had no release at {since}; begin later.")
    if not later:
        raise SocialCodeError(f"{function} has had no new release since {since}.")
    return [former[-1], *later]


def _search(client: Client, probe: "_Probe", candidates: Sequence[Release]) -> Found:
    """Return the first release that differs from the first of all, by halves."""
    answers: dict[int, str | None] = {}

    def answer(place: int) -> str | None:
        if place not in answers:
            with err.status(f"Trying release {candidates[place].number} ..."):
                answers[place] = probe.answer(candidates[place])
            shown = answers[place] if answers[place] is not None else "skipped"
            err.print(f"[dim]release {candidates[place].number}: {escape(str(shown))}[/]")
        return answers[place]

    good, bad = 0, len(candidates) - 1
    expected = answer(good)
    if expected is None or not probe.is_good(expected):
        raise SocialCodeError("The first release of the period can't be tried, or fails already.")
    if answer(bad) is None or answer(bad) == expected:
        raise SocialCodeError(f"Nothing has changed in between: {answer(bad) or 'skipped'}.")
    while bad - good > 1:
        place = _untried(range(good + 1, bad), answer)
        if place is None:
            break
        if answer(place) == expected:
            good = place
        else:
            bad = place
    before, release = candidates[good], candidates[bad]
    changes = client.changes(probe.function, _stamp(before), _stamp(release))
    return Found(release, before, expected, str(answer(bad)), changes)


def _untried(between: range, answer: Callable[[int], str | None]) -> int | None:
    """Return the release nearest to the middle that can be tried."""
    middle = between[len(between) // 2]
    for place in sorted(between, key=lambda each: abs(each - middle)):
        if answer(place) is not None:
            return place
    return None


@dataclass(frozen=True, slots=True)
class _Probe:
    """Runs a release, with the releases that it was elected with."""

    client: Client
    store: Store
    function: str
    command: Sequence[str]
    words: Sequence[str]

    def is_good(self, answer: str) -> bool:
        return not self.command or answer == "0"

    def answer(self, release: Release) -> str | None:
        """Return what this release answers, or how the command ends; None to skip it."""
        lock = Lock.parse(self.client.lock_file([self.function], FILE_NAME, at=_stamp(release)))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for locked in lock.releases.values():
                fetch = lambda one: self.client.file(f"/simple/files/{one.filename}")  # noqa: E731
                for module, source in self.store.modules(locked, fetch).items():
                    path = folder / f"{module.replace('.', '/')}.py"
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(source, encoding="utf-8")
            return self._run(folder)

    def _run(self, folder: Path) -> str | None:
        given = os.environ.get("PYTHONPATH")
        variables = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(folder), *([given] if given else [])]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        if self.command:
            code = subprocess.run(self.command, env=variables, check=False, stdout=2).returncode
            return None if code == _SKIPPED else str(min(abs(code), 1))
        args, kwargs = arguments_of(self.words)
        call = json.dumps([self.function, args, kwargs])
        ended = subprocess.run(
            [sys.executable, "-c", _CALL, call],
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            return f"ended with {ended.returncode}: {ended.stderr.strip()[-200:]}"
        return str(json.loads(ended.stdout.rpartition("\n")[2]))


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text} is no time in ISO 8601, such as 2026-05-03") from error
    if len(text) == len("2026-05-03"):
        found = datetime.combine(found.date(), time.max)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _stamp(release: Release) -> str:
    """Return a time at which it is the latest; the site tells times in whole milliseconds."""
    return (release.created_at.astimezone(UTC) + timedelta(milliseconds=1)).isoformat()


def _described(found: Found) -> dict[str, Any]:
    return {
        "release": found.release,
        "before": found.before,
        "former": found.former,
        "latter": found.latter,
        "changes": found.changes,
    }


def _print(function: str, found: Found) -> None:
    release = found.release
    out.print(
        f"[bold]Release {release.number} of {escape(function)}[/] of "
        f"{release.created_at:%Y-%m-%d %H:%M:%S} UTC, implementation {release.implementation} by "
        f"{escape(release.author or '?')}, is the first that differs."
    )
    out.print(f"  before: {escape(found.former)}\n  since:  {escape(found.latter)}")
    for change in found.changes:
        out.print(
            f"  {escape(change.name)}: release {change.former or 'none'} → "
            f"{change.latter or 'none'}"
        )
