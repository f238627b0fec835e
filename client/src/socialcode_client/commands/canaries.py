"""Registered projects: a lock that stays, and what is told of it."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from socialcode_client.client import Client
from socialcode_client.commands.screen import out
from socialcode_client.commands.session import AsJson, Url, open_client, print_json
from socialcode_client.errors import SocialCodeError
from socialcode_client.library.locks import FILE_NAME
from socialcode_client.models import Canary

Named = Annotated[str, typer.Argument(help="The project's name.")]
canary = typer.Typer(
    help="Register projects, which are told what changes of what they have locked.",
    no_args_is_help=True,
)


class NotRegistered(SocialCodeError):
    """There is no project of this name, or its lock can't be read."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(canary, name="canary")


@canary.command("register")
def register_project(
    lock: Annotated[
        Path, typer.Argument(help="pylock.toml, or a requirements file with hashes.")
    ] = Path(FILE_NAME),
    name: Annotated[str, typer.Option(help="The project's name; else that of the folder.")] = "",
    hook: Annotated[
        str | None, typer.Option(help="The https address that is told; “none” ends that.")
    ] = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Register a project with its lock; one that is registered gets the new lock."""
    given = _read(lock) | ({} if hook is None else {"url": None if hook == "none" else hook})
    name = name or lock.resolve().parent.name
    with open_client(url) as client:
        known = next((one for one in client.canaries() if one.name == name), None)
        if known is None:
            found = client.register_canary(name, given)
        else:
            found = client.move_canary(known.id, name, given)
    if as_json:
        print_json(found)
        return
    out.print(f"{escape(found.name)} has locked {found.locked} releases.")
    if found.differing:
        out.print(f"{found.differing} of them aren't current: socialcode canary changes {name}")
    if found.secret:
        out.print(f"Deliveries are signed with this secret, shown once: {escape(found.secret)}")


@canary.command("list")
def list_projects(url: Url = None, as_json: AsJson = False) -> None:
    """List your projects, and how many of their releases differ now."""
    with open_client(url) as client:
        found = list(client.canaries())
    if as_json:
        print_json(found)
        return
    table = _table("project", "locked", "differ now", "told last")
    for one in found:
        told = f"{one.told_at:%Y-%m-%d %H:%M}" if one.told_at else "never"
        table.add_row(escape(one.name), str(one.locked), str(one.differing), told)
    out.print(table if found else "No project is registered.")


@canary.command("changes")
def list_changes(name: Named, url: Url = None, as_json: AsJson = False) -> None:
    """List the locked releases of a project that aren't current now, and why."""
    with open_client(url) as client:
        found = client.canary_changes(_named(client, name).id)
        site = client.address
    if as_json:
        print_json(found)
        return
    if not found:
        out.print("Nothing differs: all locked releases are current.")
        return
    table = _table("function", "locked", "current", "why")
    for one in found:
        why = f"uses {', '.join(one.through)}" if one.through else one.cause
        link = f" {site}{one.diff_url}" if one.diff_url else ""
        locked = f"{one.former} (yanked)" if one.yanked else str(one.former)
        table.add_row(escape(one.name), locked, str(one.latter or "none"), escape(why + link))
    out.print(table)


@canary.command("remove")
def remove_project(name: Named, url: Url = None, as_json: AsJson = False) -> None:
    """End the registration of a project."""
    with open_client(url) as client:
        client.remove_canary(_named(client, name).id)
    if as_json:
        print_json({"removed": name})
    else:
        out.print(f"{escape(name)} is no longer registered.")


def _read(lock: Path) -> dict[str, Any]:
    """Return a lock file as the site takes it."""
    try:
        text = lock.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotRegistered(f"{lock} can't be read: {error}") from error
    return {"pylock" if lock.suffix == ".toml" else "requirements": text}


def _named(client: Client, name: str) -> Canary:
    for one in client.canaries():
        if one.name == name:
            return one
    raise NotRegistered(f"You have registered no project {name}; see: socialcode canary list")


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column)
    return table
