"""The command `socialcode`."""

import sys

import typer

from socialcode_client.commands import (
    account,
    bisection,
    canaries,
    drafts,
    live,
    mcp,
    packages,
    reading,
    work,
)
from socialcode_client.commands.session import ExitCode, report
from socialcode_client.errors import SocialCodeError
from socialcode_client.transport import own_version

app = typer.Typer(
    name="socialcode",
    help="Works with a Social Code site: functions as files, checked and published.",
    epilog=(
        "Exit codes: 0 done; 1 a verdict failed; 2 usage; 3 refused by the site; 4 the site can't "
        "be reached; 5 something here is in the way; 130 interrupted."
    ),
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(own_version())
        raise typer.Exit


@app.callback()
def _start(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version."
    ),
) -> None:
    del version


for part in (account, reading, work, drafts, live, packages, canaries, bisection, mcp):
    part.register(app)


def main() -> None:
    """Run the command; exit as documented."""
    try:
        app()
    except SocialCodeError as error:
        sys.exit(report(error))
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has enough
        sys.exit(ExitCode.DONE)
