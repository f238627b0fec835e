"""Drafts on the site: run, published, voted on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from socialcode_client.client import Client, Noun
from socialcode_client.commands.screen import err, out
from socialcode_client.commands.session import (
    AsJson,
    ExitCode,
    Url,
    open_client,
    print_json,
    progress_of_batch,
    stop,
)
from socialcode_client.commands.verdicts import Opponents, shown
from socialcode_client.commands.work import Files, Folder, client_of, described
from socialcode_client.errors import SocialCodeError
from socialcode_client.folder.push import drafts, located_in, push
from socialcode_client.folder.state import Entry, State
from socialcode_client.models import Task

Seconds = Annotated[float | None, typer.Option("--timeout", help="Seconds to wait at most.")]
_VALUES: Mapping[str, Literal[1, 0, -1]] = {"up": 1, "none": 0, "down": -1}
_NOUNS: Mapping[str, Noun] = {
    "implementation": "implementations",
    "implementations": "implementations",
    "test": "tests",
    "tests": "tests",
}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(run)
    app.command()(publish)
    app.command()(vote)


def run(
    files: Files = None,
    timeout: Seconds = None,
    folder: Folder = Path(),
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Save changed files as drafts, run all drafts on the site, and wait for the results."""
    state = State.find(files[0].parent if files else folder)
    ran: list[dict[str, Any]] = []
    is_good = True
    with client_of(state, url) as client:
        works = drafts(state, files or ())
        push(client, state, works)
        for path, entry in works:
            with located_in(state, path):
                batch = client.run(entry.noun, _draft(entry))
            _await(client, batch, f"Running {path}", timeout, quiet=as_json)
            # Loading is reported only if it fails.
            tasks = [task for task in client.tasks(batch) if task.test or task.verdict != "passed"]
            opponents = Opponents(client.function(entry.function))
            is_good = is_good and all(
                task.verdict == "passed"
                for task in tasks
                if opponents.decides(task.test, task.implementation, entry.kind)
            )
            if as_json:
                ran.append({**described(path, entry), "tasks": tasks})
            else:
                _print_tasks(path, entry, tasks, opponents)
    if as_json:
        print_json(ran)
    elif not works:
        out.print("There is nothing to run: no draft, and nothing is changed.")
    stop(ExitCode.DONE if is_good else ExitCode.FAILED)


def _draft(entry: Entry) -> int:
    if entry.draft is None:
        raise SocialCodeError(f"{entry.function} has no draft here.")
    return entry.draft


def _print_tasks(path: str, entry: Entry, tasks: list[Task], opponents: Opponents) -> None:
    passed = sum(task.verdict == "passed" for task in tasks)
    style = "green" if passed == len(tasks) else "red"
    out.print(
        f"[bold]{escape(path)}[/], draft {entry.draft}: [{style}]{passed} of {len(tasks)} passed[/]"
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("against", "verdict", "line", "message"):
        table.add_column(column, overflow="fold")
    for task in tasks:
        label = opponents.label(task.test, task.implementation, entry.kind)
        line = str(task.line) if task.line else ""
        verdict = task.verdict or task.state
        table.add_row(escape(label), shown(verdict), line, escape(task.message))
    if tasks:
        out.print(table)


def publish(
    files: Files = None,
    wait: Annotated[bool, typer.Option(help="Wait for the results.")] = True,
    timeout: Seconds = None,
    folder: Folder = Path(),
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Save changed files as drafts, publish all drafts, and tell what became of them."""
    state = State.find(files[0].parent if files else folder)
    told: list[dict[str, Any]] = []
    is_good = True
    with client_of(state, url) as client:
        works = drafts(state, files or ())
        push(client, state, works)
        # Tests first: implementations are then judged by them too.
        for path, entry in sorted(works, key=lambda work: work[1].kind != "test"):
            with located_in(state, path):
                batch, work_id = _publish(client, state, entry)
            if wait:
                _await(client, batch, f"Judging {entry.function}", timeout, quiet=as_json)
            outcome = _outcome(client, entry, work_id)
            is_good = is_good and (not wait or outcome["good"])
            told.append({"file": path, **outcome})
            if not as_json:
                _print_outcome(path, outcome, waited=wait)
    if as_json:
        print_json(told)
    elif not works:
        out.print("There is nothing to publish: no draft, and nothing is changed.")
    stop(ExitCode.DONE if is_good else ExitCode.FAILED)


def _publish(client: Client, state: State, entry: Entry) -> tuple[int, int]:
    """Publish a draft; return the batch, and the work's id."""
    work_id = _draft(entry)
    batch = client.publish(entry.noun, work_id)
    # Later changes are based on the published work.
    entry.based_on, entry.draft, entry.version = work_id, None, None
    state.save()
    return batch, work_id


def _await(client: Client, batch: int, text: str, seconds: float | None, *, quiet: bool) -> None:
    with progress_of_batch(escape(text), quiet=quiet) as show:
        client.wait(batch, seconds=seconds, watch=show)


def _outcome(client: Client, entry: Entry, work_id: int) -> dict[str, Any]:
    """Return what has become of published work."""
    function = client.function(entry.function)
    base = {"function": function.name, "kind": entry.kind, "id": work_id}
    if entry.kind == "test":
        for test in function.tests:
            if test.id == work_id:
                entry.number = test.number
                state, good = test.health, test.health == "working"
                return {**base, "number": test.number, "counts": test.counts} | {
                    "state": state,
                    "reason": test.reason,
                    "elected": False,
                    "good": good,
                }
    for one in function.implementations:
        if one.id == work_id:
            entry.number = one.number
            return {**base, "number": one.number, "state": one.standing, "reason": one.reason} | {
                "elected": function.elected == work_id,
                "good": one.standing == "eligible",
            }
    return {**base, "number": None, "state": "gone", "reason": "", "elected": False, "good": False}


def _print_outcome(path: str, outcome: Mapping[str, Any], *, waited: bool) -> None:
    number = f"{outcome['function']} {outcome['kind']} #{outcome['number']}"
    if not waited:
        out.print(f"[green]⇧[/] {escape(path)} is published as {number}.")
        return
    style = "green" if outcome["good"] else "red"
    current = " [bold green]It is current now.[/]" if outcome["elected"] else ""
    reason = f" ({escape(outcome['reason'])})" if outcome["reason"] else ""
    state = outcome["state"].replace("_", " ")
    published = f"[green]⇧[/] {escape(path)} is published as {number}"
    out.print(f"{published}: [{style}]{state}[/]{reason}.{current}")


def vote(
    noun: Annotated[str, typer.Argument(help="implementation or test.")],
    work_id: Annotated[int, typer.Argument(metavar="ID", help="Its id; see: show NAME --json.")],
    value: Annotated[str, typer.Argument(help="up, down or none.")],
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Vote on an implementation or a test of somebody else."""
    if noun not in _NOUNS:
        raise typer.BadParameter("say implementation or test", param_hint="NOUN")
    if value not in _VALUES:
        raise typer.BadParameter("say up, down or none", param_hint="VALUE")
    with open_client(url) as client:
        scores = client.vote(_NOUNS[noun], work_id, _VALUES[value])
    if as_json:
        print_json(scores.model_dump())
        return
    err.print("Counted apart, as an agent's: it decides nothing." if scores.apart else "Counted.")
    agents = f" (agents {scores.agent_score:+d})" if scores.agent_score else ""
    out.print(f"Score: {scores.score}{agents}")
