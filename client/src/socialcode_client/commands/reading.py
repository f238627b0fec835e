"""Looking for functions, reading and calling them."""

import json
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any, NoReturn

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from socialcode_client.commands.screen import err, harmless, out
from socialcode_client.commands.session import AsJson, Url, open_client, print_json
from socialcode_client.commands.verdicts import log_text, matrix, name_of, value_text
from socialcode_client.errors import CallFailed
from socialcode_client.models import Function, LogLine

_STATUS_STYLES = {"implemented": "green", "blocked": "yellow", "not_implemented": "red"}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(search)
    app.command()(show)
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(call)


def search(
    words: Annotated[
        list[str] | None,
        typer.Argument(help="Words, and filters such as author:mira uses:Add status:blocked."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many to list at most.")] = 30,
    kind: Annotated[str, typer.Option(help="function, class, page or document.")] = "",
    status: Annotated[str, typer.Option(help="implemented, blocked or not_implemented.")] = "",
    sort: Annotated[str, typer.Option(help="used or changed; else by fit and name.")] = "",
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Look for functions."""
    with open_client(url) as client:
        asked = client.search(" ".join(words or ()), kind=kind, status=status, sort=sort)
        found = list(islice(asked, limit + 1))
    if as_json:
        print_json(found[:limit])
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("name", "status", "owner", "description"):
        table.add_column(column, no_wrap=column == "name", overflow="ellipsis")
    for one in found[:limit]:
        style = _STATUS_STYLES.get(one.status, "default")
        first = one.description.strip().partition("\n")[0]
        table.add_row(
            f"[bold]{escape(one.name)}[/]{escape(one.signature)}",
            f"[{style}]{one.status.replace('_', ' ')}[/]",
            escape(one.owner),
            escape(first),
        )
    if found:
        out.print(table)
    else:
        err.print("Nothing found.")
    if len(found) > limit:
        err.print(f"[dim]There are more; --limit {limit * 2} shows them.[/]")


def show(
    name: Annotated[str, typer.Argument(help="The function's name.")],
    code: Annotated[
        bool, typer.Option("--code", help="Print the current implementation and nothing else.")
    ] = False,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Show a function: what it is for, its code, its results."""
    with open_client(url) as client:
        function = client.function(name)
    if as_json:
        print_json(function)
    elif code:
        current = function.current
        if current is None:
            err.print(f"{function.name} has no implementation yet.")
            raise typer.Exit(1)
        text = harmless(current.code) if sys.stdout.isatty() else current.code
        typer.echo(text, nl=not text.endswith("\n"))
    else:
        _show(function)


def _show(function: Function) -> None:
    # They take longer to load than all the rest.
    from rich.markdown import Markdown  # noqa: PLC0415
    from rich.syntax import Syntax  # noqa: PLC0415

    style = _STATUS_STYLES.get(function.status, "default")
    out.print(f"[bold]{escape(function.name)}[/]{escape(function.signature)}")
    untested = ", untested" if function.untested else ""
    out.print(
        f"[{style}]{function.status.replace('_', ' ')}[/]{untested}, a {function.kind} of "
        f"{escape(function.owner)}"
    )
    if function.description.strip():
        out.print(Markdown(function.description))
    for title, links in (("Uses", function.depends_on), ("Used by", function.depended_on_by)):
        if links:
            listed = ", ".join(f"{link.name}" for link in links)
            out.print(f"{title}: {escape(listed)}")
    current = function.current
    if current is not None:
        out.print(f"\n[bold]Current: {escape(name_of(current))}[/]")
        out.print(Syntax(current.code, current.language, background_color="default"))
    if function.cells:
        out.print(matrix(function))


def call(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The function's name.")],
    lock: Annotated[
        str | None, typer.Option(help="The lock of an earlier call, to use its versions.")
    ] = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Call a function on the site, such as: socialcode call Multiply 6 --b=7.

    Values are JSON; what isn't JSON is a text. Write '"6"' for the text 6, and -- before
    arguments that have the name of an option of this command.
    """
    args, kwargs = arguments_of(context.args)
    with open_client(url) as client:
        try:
            answer = client.call(name, args, kwargs, lock=lock)
        except CallFailed as failure:
            if not as_json:
                _print_log([LogLine.model_validate(line) for line in failure.log])
            raise
    if as_json:
        print_json(answer)
        return
    _print_log(answer.log)
    out.print(value_text(answer.result), markup=False, soft_wrap=True)


def _print_log(lines: list[LogLine]) -> None:
    if lines:
        err.print(log_text(lines), end="")


def arguments_of(words: Sequence[str]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call; those after -- are a command's."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for word in words:
        if not word.startswith("--"):
            args.append(value_of(word))
            continue
        name, equals, text = word[2:].partition("=")
        if not equals or not name.replace("-", "_").isidentifier():
            raise typer.BadParameter(f"{word}: write --name=value, the value as JSON")
        kwargs[name.replace("-", "_")] = value_of(text)
    return args, kwargs


def value_of(text: str) -> Any:
    """Return a value written as JSON, or else the text."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except ValueError:
        return text


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
