"""What docs/client.md says of the client."""

import os
import re
import subprocess

import pytest

from socialcode_client.commands import app
from socialcode_client.commands.session import ExitCode
from tests.support.site import ROOT

PAGES = ["docs/client.md", "docs/de/client.md"]


def rows(page: str, pattern: str) -> list[str]:
    """Return what stands first in the rows of a table."""
    return re.findall(rf"(?m)^\| {pattern} \|", (ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PAGES)
def test_all_commands_are_described(path: str) -> None:
    described = {
        name for row in rows(path, r"(`[^|]*`)") for name in re.findall(r"`([a-z]+)[^`]*`", row)
    }
    names = {
        command.name or getattr(command.callback, "__name__", "")
        for command in app.registered_commands
    } | {group.name for group in app.registered_groups}
    assert described == names


@pytest.mark.parametrize("path", PAGES)
def test_all_exit_codes_are_described(path: str) -> None:
    assert [int(code) for code in rows(path, r"(\d+)")] == sorted(ExitCode)


def test_both_languages_have_the_same_parts() -> None:
    parts = [
        re.findall(r"(?m)^(#+ |\| `[a-z]+|- |```\w*)", (ROOT / page).read_text(encoding="utf-8"))
        for page in PAGES
    ]
    assert parts[0] == parts[1]


def test_make_builds_the_wheel_that_is_described() -> None:
    made = subprocess.run(
        ["make", "--no-print-directory", "client"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    wheel = made.stdout.strip().splitlines()[-1].rpartition("/")[2]
    for page in [*PAGES, "client/README.md"]:
        assert wheel in (ROOT / page).read_text(encoding="utf-8")
