"""Functions as files: pulled, tested, checked, pushed, run and published."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from socialcode_client.client import Client
from socialcode_client.commands.screen import err, out
from socialcode_client.commands.session import (
    AsJson,
    ExitCode,
    Url,
    open_client,
    plain,
    print_json,
    stop,
)
from socialcode_client.commands.verdicts import Opponents, checked, log_text
from socialcode_client.configuration import site_address, token_for
from socialcode_client.errors import SocialCodeError
from socialcode_client.folder.pull import pull as pull_into
from socialcode_client.folder.push import code_of, located_in, targets
from socialcode_client.folder.push import push as push_works
from socialcode_client.folder.state import Entry, Kind, State
from socialcode_client.models import Check, CheckedCell

Folder = Annotated[
    Path, typer.Option("--folder", "-C", file_okay=False, help="The pulled folder; else this one.")
]
Files = Annotated[
    list[Path] | None, typer.Argument(help="Files of the folder; else those that are changed.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(new)
    app.command()(pull)
    app.command()(status)
    app.command(
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True}, name="test"
    )(run_tests)
    app.command()(check)
    app.command()(push)


def new(
    name: Annotated[str, typer.Argument(help="Its name.")],
    signature: Annotated[str, typer.Option(help="Such as '(a, b)'.")] = "",
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    kind: Annotated[str, typer.Option(help="function or class.")] = "function",
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Define a function, which you own."""
    with open_client(url) as client:
        made = client.define(name, signature=signature, description=description, kind=kind)
        if as_json:
            print_json(made)
        else:
            out.print(f"{made.name} is defined: {client.address}/functions/{made.name}/")


def pull(
    names: Annotated[list[str], typer.Argument(help="Names of functions.")],
    into: Annotated[
        Path | None, typer.Option(help="The folder; else one of the first function's name.")
    ] = None,
    implementation: Annotated[
        int | None,
        typer.Option(help="The id of another one than the current one; or of a draft of yours."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite what was changed here.")
    ] = False,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Write functions, their tests and what they use into a folder that pytest can run."""
    if implementation is not None and len(names) > 1:
        raise typer.BadParameter("--implementation needs a single function")
    with open_client(url) as client:
        if into is None:
            into = Path(client.function(names[0]).name)
        with err.status("Reading ...") as reading:
            pulled = pull_into(
                client,
                names,
                into,
                implementation=implementation,
                force=force,
                progress=lambda name: reading.update(f"Reading {escape(name)} ..."),
            )
    if as_json:
        print_json(
            {
                "folder": str(into),
                "written": pulled.written,
                "unchanged": pulled.unchanged,
                "notes": pulled.notes,
            }
        )
        return
    for path in pulled.written:
        out.print(f"[green]+[/] {escape(str(into / path))}")
    for note in pulled.notes:
        err.print(f"[yellow]Note:[/] {escape(note)}")
    out.print(
        f"{len(pulled.written)} files written, {pulled.unchanged} unchanged. "
        f"Test them: socialcode test -C {escape(str(into))}"
    )


def status(folder: Folder = Path(), as_json: AsJson = False) -> None:
    """List the files that are changed here."""
    state = State.find(folder)
    changed = list(state.changed())
    if as_json:
        listed = [
            {"file": path, "function": entry.function, "kind": entry.kind, "draft": entry.draft}
            for path, entry in changed
        ]
        print_json({"folder": str(state.root), "site": state.site, "changed": listed})
        return
    for path, entry in changed:
        label = f"draft {entry.draft}" if entry.draft else "no draft yet"
        out.print(f"[yellow]{'~' if entry.digest else '+'}[/] {escape(path)} [dim]({label})[/]")
    if not changed:
        out.print("Nothing is changed.")


def run_tests(
    context: typer.Context,
    folder: Folder = Path(),
    as_json: AsJson = False,
) -> None:
    """Run the tests of a pulled folder here, with pytest; further arguments are for pytest.

    It runs what others have written, on your machine, with your rights.
    """
    state = State.find(folder)
    command = [sys.executable, "-m", "pytest", *context.args]
    if as_json:
        command += ["--quiet"]
    if find_spec("pytest") is None:
        raise SocialCodeError(
            "pytest is not installed beside this client: pip install 'socialcode-client[test]'"
        )
    ended = subprocess.run(command, cwd=state.root, check=False, stdout=2 if as_json else None)
    meanings = {0: ExitCode.DONE, 1: ExitCode.FAILED, 2: ExitCode.INTERRUPTED}
    code = meanings.get(ended.returncode, ExitCode.USAGE)
    if as_json:
        print_json({"passed": code == ExitCode.DONE, "pytest": ended.returncode})
    stop(code)


def check(
    files: Files = None,
    function: Annotated[
        str | None,
        typer.Option(help="Check a file that is in no pulled folder, for this function."),
    ] = None,
    as_test: Annotated[
        bool, typer.Option("--test", help="With --function: the file is a test.")
    ] = False,
    log: Annotated[bool, typer.Option("--log", help="Show what was printed.")] = False,
    folder: Folder = Path(),
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Run files on the site as they are, without saving them there; show the results."""
    if function is not None:
        outcomes = [_check_foreign(function, files or [], is_test=as_test, url=url)]
    else:
        outcomes = _check_pulled(folder, files or [], url)
    if as_json:
        told = [
            {"file": each.name, "good": each.is_good, **plain(each.answer)} for each in outcomes
        ]
        print_json(told)
    elif not outcomes:
        out.print("Nothing is changed, so there is nothing to check.")
    else:
        for each in outcomes:
            _print_check(each, with_log=log)
    is_good = all(each.is_good for each in outcomes)
    stop(ExitCode.DONE if is_good else ExitCode.FAILED)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of checking a file."""

    name: str
    kind: Kind
    answer: Check
    opponents: Opponents

    def label(self, cell: CheckedCell) -> str:
        return self.opponents.label(cell.test, cell.implementation, self.kind)

    @property
    def is_good(self) -> bool:
        """True if it passes where that decides."""
        return self.answer.verdict == "passed" and all(
            cell.verdict == "passed"
            for cell in self.answer.cells
            if self.opponents.decides(cell.test, cell.implementation, self.kind)
        )


def _check_foreign(
    function: str, files: Sequence[Path], *, is_test: bool, url: str | None
) -> Outcome:
    if len(files) != 1:
        raise typer.BadParameter("--function needs exactly one file; - is standard input")
    name = str(files[0])
    text = sys.stdin.read() if name == "-" else files[0].read_text(encoding="utf-8")
    kind: Kind = "test" if is_test else "implementation"
    with open_client(url) as client:
        answer = client.check(function, **{kind: text})
        return Outcome(name, kind, answer, Opponents(client.function(function)))


def _check_pulled(folder: Path, files: Sequence[Path], url: str | None) -> list[Outcome]:
    state = State.find(files[0].parent if files else folder)
    found = []
    with client_of(state, url) as client:
        for path, entry in targets(state, files):
            with err.status(f"Checking {escape(path)} ..."):
                with located_in(state, path):
                    answer = client.check(entry.function, **{entry.kind: code_of(state, path).code})
                opponents = Opponents(client.function(entry.function))
            found.append(Outcome(path, entry.kind, answer, opponents))
    return found


def _print_check(outcome: Outcome, *, with_log: bool) -> None:
    answer = outcome.answer
    passed = sum(cell.verdict == "passed" for cell in answer.cells)
    style = "green" if outcome.is_good else "red"
    out.print(
        f"[bold]{escape(outcome.name)}[/]: [{style}]{passed} of {len(answer.cells)} passed[/]"
    )
    if answer.verdict != "passed":
        line = f", line {answer.line}" if answer.line else ""
        out.print(f"  It doesn't load ({answer.verdict}{line}): {escape(answer.message)}")
    if with_log and answer.log:
        out.print(log_text(answer.log))
    if answer.cells:
        out.print(checked(answer.cells, outcome.label, with_log=with_log))


def push(
    files: Files = None,
    title: Annotated[str, typer.Option(help="The title of new drafts.")] = "",
    folder: Folder = Path(),
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Save changed files as drafts on the site, each based on the work that it came from."""
    state = State.find(files[0].parent if files else folder)
    with client_of(state, url) as client:
        pushed = push_works(client, state, targets(state, files or ()), title=title)
    if as_json:
        print_json([described(one.path, one.entry) for one in pushed])
        return
    for one in pushed:
        based = f", based on {one.entry.based_on}" if one.is_new and one.entry.based_on else ""
        verb = "saved as" if one.is_new else "saved again as"
        noun = f"{one.entry.kind} {one.entry.draft}"
        out.print(f"[green]↑[/] {escape(one.path)}: {verb} draft of {noun}{based}")
    if not pushed:
        out.print("Nothing is changed.")
    else:
        out.print("[dim]Try them with `socialcode run`, or `socialcode publish`.[/]")


def described(path: str, entry: Entry) -> dict[str, Any]:
    """Return a file and its work, for programs."""
    return {
        "file": path,
        "function": entry.function,
        "kind": entry.kind,
        "draft": entry.draft,
        "based_on": entry.based_on,
    }


def client_of(state: State, url: str | None) -> Client:
    """Return a client of the site that a folder was pulled from. Raises SocialCodeError."""
    if url is not None and site_address(url) != state.site:
        raise SocialCodeError(f"{state.root} was pulled from {state.site}, not from {url}.")
    return Client(state.site, token_for(state.site, None))
