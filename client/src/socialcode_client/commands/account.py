"""Signing in and out."""

import sys
from contextlib import suppress
from typing import Annotated

import typer

from socialcode_client.client import Client
from socialcode_client.commands.screen import err, out
from socialcode_client.commands.session import AsJson, ExitCode, Url, print_json
from socialcode_client.configuration import Configuration, Tokens, normal_address, site_address
from socialcode_client.errors import Forbidden

# The scopes that the commands need: not `account`, so that a lost token can't make others.
SCOPES = ("read", "check", "draft", "publish", "vote", "call")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(login)
    app.command()(logout)


def login(
    address: Annotated[str | None, typer.Argument(help="The site, https://social.example")] = None,
    username: Annotated[str | None, typer.Option(help="Your name there.")] = None,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from standard input.")
    ] = False,
    with_token: Annotated[
        bool, typer.Option("--with-token", help="Read a token that you made on the site instead.")
    ] = False,
    scope: Annotated[
        list[str] | None,
        typer.Option(help="What the token permits; may be repeated. Else all but the account."),
    ] = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Sign in; keep the address, and a token in the keyring or a private file."""
    site = normal_address(address) if address else site_address(url)
    if with_token:
        token = _secret("Token", from_stdin=not sys.stdin.isatty())
    else:
        name = username or _asked("Name")
        password = _secret("Password", from_stdin=password_stdin)
        with Client(site) as client:
            token = client.create_token(name, password, name="socialcode", scopes=scope or SCOPES)
    if not token:
        err.print("[bold red]Error:[/] No token was given.")
        raise typer.Exit(ExitCode.USAGE)
    with Client(site, token) as client, suppress(Forbidden):  # valid, but not for that
        client.use()
    Configuration().keep(site)
    place = Tokens().keep(site, token)
    if as_json:
        print_json({"url": site, "kept_in": place})
    else:
        out.print(f"Signed in to {site}. The token is in {place}.")


def logout(url: Url = None, as_json: AsJson = False) -> None:
    """Forget the token of a site. Revoke it there, under *API tokens*, to have it refused."""
    site = site_address(url)
    had = Tokens().forget(site)
    if as_json:
        print_json({"url": site, "forgotten": had})
    else:
        out.print(f"The token of {site} is forgotten." if had else f"No token of {site} was kept.")


def _secret(what: str, *, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().strip()
    return _asked(what, hide_input=True)


def _asked(what: str, *, hide_input: bool = False) -> str:
    try:
        return str(typer.prompt(what, hide_input=hide_input, err=True)).strip()
    except typer.Abort as abort:
        raise typer.Exit(ExitCode.INTERRUPTED) from abort
