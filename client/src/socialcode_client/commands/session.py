"""Options, the site, output for people or programs, and exit codes, which all commands share."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from socialcode_client.client import Client
from socialcode_client.commands.screen import err
from socialcode_client.configuration import site_address, token_for
from socialcode_client.errors import (
    Forbidden,
    NotFound,
    NotReachable,
    NotSignedIn,
    Problem,
    SiteFault,
    SocialCodeError,
    StillOpen,
    TooOften,
)
from socialcode_client.models import Batch


class ExitCode(IntEnum):
    """Exit codes of commands, for programs."""

    DONE = 0
    FAILED = 1  # a verdict
    USAGE = 2
    REFUSED = 3
    NOT_REACHABLE = 4
    HERE = 5  # something on this machine is in the way
    INTERRUPTED = 130


Url = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="ADDRESS", help="The site; else SOCIALCODE_URL, else as signed in."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def open_client(url: str | None) -> Client:
    """Return a client of the site that is meant."""
    address = site_address(url)
    return Client(address, token_for(address, None))


def print_json(value: Any) -> None:
    """Print a value as JSON, models included."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n")


def plain(value: Any) -> Any:
    """Return a value that JSON can express."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def stop(code: ExitCode) -> None:
    """End the command, unless all is well."""
    if code:
        raise typer.Exit(code)


def report(error: SocialCodeError) -> ExitCode:
    """Say what is wrong and what to do; return the exit code."""
    code = exit_code_of(error)
    if "--json" in sys.argv:
        sys.stderr.write(json.dumps({"error": _as_json(error)}, ensure_ascii=False) + "\n")
        return code
    err.print(f"[bold red]Error:[/] {_escape(str(error))}")
    if isinstance(error, Problem):
        for mistake in error.mistakes:
            place = f"line {mistake.line}" if mistake.line else ""
            text = "" if mistake.message in str(error) else mistake.message
            if text or (place and place not in str(error).lower()):
                err.print(f"  {_escape(': '.join(filter(None, (place, text))))}")
    advice = _advice(error)
    if advice:
        err.print(f"[dim]{_escape(advice)}[/]")
    return code


def exit_code_of(error: SocialCodeError) -> ExitCode:
    """Return how a command ends with this error."""
    if isinstance(error, NotReachable):
        return ExitCode.NOT_REACHABLE
    if isinstance(error, SiteFault | StillOpen):
        return ExitCode.NOT_REACHABLE
    if isinstance(error, Problem):
        return ExitCode.FAILED if error.code == "call_failed" else ExitCode.REFUSED
    cause = error.__cause__
    return ExitCode.REFUSED if isinstance(cause, Problem) else ExitCode.HERE


def _advice(error: SocialCodeError) -> str:
    advice = ""
    match error:
        case NotSignedIn(code="second_factor"):
            advice = "Make a token on the site (API tokens, in the menu), then: "
            advice += "socialcode login --with-token"
        case NotSignedIn(code=code) if code != "wrong_credentials":
            advice = "Sign in with: socialcode login"
        case Forbidden(code="missing_scope"):
            needed = error.details.get("scope", "SCOPE")
            advice = f"The token lacks a scope. Sign in again: socialcode login --scope {needed}"
        case TooOften(retry_after=float(seconds)):
            advice = f"Try again in {seconds:g} seconds."
        case NotFound(code="not_found"):
            advice = "Look for the name with: socialcode search"
        case NotReachable():
            advice = "Is the address right, and the site up? Another: --url, or SOCIALCODE_URL."
        case SiteFault(request_id=number) if number:
            advice = f"If you report it, quote {number}."
        case _:
            pass
    return advice


def _as_json(error: SocialCodeError) -> dict[str, Any]:
    if isinstance(error, Problem):
        return {**error.details, "status": error.status, "code": error.code, "detail": error.detail}
    return {"code": type(error).__name__, "detail": str(error)}


def _escape(text: str) -> str:
    """Return text of the site so that it is printed as it is."""
    return text.replace("[", r"\[")


@contextmanager
def progress_of_batch(text: str, *, quiet: bool) -> Iterator[Any]:
    """Show a bar while a batch runs; yields what is to be called with each state of it."""
    if quiet:
        yield id  # nobody looks
        return
    # It takes long to load.
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
        console=err,
        transient=True,
    ) as progress:
        bar = progress.add_task(text, total=None)

        def show(batch: Batch) -> None:
            total = sum(batch.tasks.values())
            progress.update(bar, total=total or None, completed=batch.done)

        yield show
