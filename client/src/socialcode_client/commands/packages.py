"""Functions as packages: locked, downloaded, compared between two times."""

from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from socialcode_client.commands.screen import err, out
from socialcode_client.commands.session import AsJson, Url, open_client, print_json
from socialcode_client.library.locks import FILE_NAME, Lock, function_of
from socialcode_client.library.store import write_whole

_REQUIREMENTS = "requirements.txt"
Since = Annotated[str, typer.Option(help="A time in ISO 8601; of a date, its end.")]
Until = Annotated[str, typer.Option(help="Likewise; else now.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(lock)
    app.command()(export)
    app.command()(changes)


def lock(
    names: Annotated[
        list[str] | None, typer.Argument(help="Functions; else those of the lock file.")
    ] = None,
    add: Annotated[
        bool, typer.Option("--add", help="Keep the functions that the lock file has.")
    ] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path(
        FILE_NAME
    ),
    requirements: Annotated[
        bool, typer.Option("--requirements", help="Write requirements.txt, for pip, instead.")
    ] = False,
    at: Annotated[str, typer.Option(help="The library as of this time, in ISO 8601.")] = "",
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Write a lock file of functions with all that they need: exact releases and hashes."""
    wanted = list(names or ())
    if output.exists() and not requirements and (add or not wanted):
        wanted += [function_of(name) for name in Lock.load(output).releases]
    if not wanted:
        raise typer.BadParameter("name the functions to lock", param_hint="NAMES")
    if requirements and output == Path(FILE_NAME):
        output = Path(_REQUIREMENTS)
    with open_client(url) as client:
        text = client.lock_file(wanted, _REQUIREMENTS if requirements else FILE_NAME, at=at)
    write_whole(output, text.encode())
    output.chmod(0o644)
    count = text.count("[[packages]]") if not requirements else text.count("==")
    if as_json:
        print_json({"file": str(output), "releases": count})
    else:
        out.print(f"{escape(str(output))} names {count} releases.")


def export(
    name: Annotated[str, typer.Argument(help="The function's name.")],
    only: Annotated[
        list[str] | None, typer.Option("--only", help="An ending such as .whl; may be repeated.")
    ] = None,
    into: Annotated[Path, typer.Option(help="The folder to write to.")] = Path(),
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Download a function with all that it uses: one file, a package, and its source."""
    with open_client(url) as client:
        found = client.export(name)
        endings = tuple(only or ("",))
        chosen = [file for file in found.files if file.filename.endswith(endings)]
        for file in chosen:
            with err.status(f"Downloading {escape(file.filename)} ..."):
                write_whole(into / file.filename, client.export_file(name, file.filename))
            (into / file.filename).chmod(0o644)
    written = [str(into / file.filename) for file in chosen]
    if as_json:
        print_json({"version": found.version, "package": found.package, "written": written})
        return
    for path in written:
        out.print(f"[green]↓[/] {escape(path)}")
    if not chosen:
        known = ", ".join(file.filename for file in found.files)
        err.print(f"None of its files ends so: {escape(known)}")


def changes(
    name: Annotated[str, typer.Argument(help="The function's name.")],
    since: Since,
    until: Until = "",
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """List what has changed of a function, and of all that it uses, between two times."""
    with open_client(url) as client:
        found = client.changes(name, since, until)
    if as_json:
        print_json(found)
        return
    if not found:
        out.print("Nothing has changed.")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("function", "release then", "release after"):
        table.add_column(column)
    for one in found:
        table.add_row(escape(one.name), str(one.former or "none"), str(one.latter or "none"))
    out.print(table)
