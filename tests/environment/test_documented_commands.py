"""Every command that a page shows is run by a test: here, or by the file named beside it."""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pytest
from django.contrib.auth.models import User
from django.test import Client
from markdown_it import MarkdownIt

from tests.support.callers import callers, callers_socket, implemented  # noqa: F401 - fixtures

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
COMMANDS = ("make", "python", ".venv/bin/python", "curl", "git", "pip", "uv", "podman", "docker")

# By patterns of commands: the file that runs such a command, and what it says there.
RUN_ELSEWHERE = {
    "git clone *": (".ci/run", ""),  # what runs there is a clone
    "make run": ("tests/every_python.py", '"make", "run"'),
    "make test": (".ci/run", "suite test"),
    "make test-slow": (".ci/run", "suite test-slow"),
    "make check": (".ci/run", "make check"),
    "make docs": ("Makefile", "test: development frontend docs"),
    # Where there is no container engine, at least what it reads is compared with the settings.
    "docker compose -f deploy/compose.yaml *": ("tests/deploy/test_deployment.py", "compose.yaml"),
    "make chaos-hosts*": ("tests/chaos/test_short.py", '"chaos.hosts"'),
    "make chaos*": ("tests/chaos/test_short.py", '"chaos"'),
    "python bootstrap.py run && *": ("tests/environment/test_bootstrap.py", "bootstrap"),
    "python bootstrap.py sandbox *": (
        "tests/sandbox/test_interpreter.py",
        '"bootstrap.py", "sandbox"',
    ),
    ".venv/bin/python manage.py migrate": ("socialcode/management/commands/dev.py", '"migrate"'),
    ".venv/bin/python -m socialcode.web *": ("tests/support/site.py", '"socialcode.web"'),
    ".venv/bin/python manage.py worker": ("tests/support/site.py", '"worker"'),
    ".venv/bin/python manage.py callers": ("tests/support/site.py", '"callers"'),
    ".venv/bin/python manage.py *backup site.backup": (
        "tests/socialcode/management/test_backups.py",
        "backup",
    ),
    ".venv/bin/python manage.py restore site.backup": (
        "tests/socialcode/management/test_backups.py",
        '"restore"',
    ),
    ".venv/bin/python manage.py after_restore": (
        "tests/runner/events/test_epochs.py",
        "after_restore",
    ),
    "pip install --index-url *": (
        "tests/functions/releases/test_installation.py",
        '"--index-url"',
    ),
    "make client": ("tests/client/test_documents.py", '"--no-print-directory", "client"'),
    'pip install "socialcode_client-*': ("tests/client/conftest.py", '"pip", "install"'),
    "pip install -r requirements.txt": (
        "tests/functions/releases/test_release_sets.py",
        '"-r", filename',
    ),
    "curl *": ("tests/environment/test_documented_commands.py", "test_requests_of"),
}
# Exit code and a part of what is printed. FILE, TEST and OTHER are files of the test.
RUN_HERE = {
    "make help": (0, "Lists what can be made"),
    "make audit": ((0, 1, 2), "npm"),  # as the services of advisories are reached or not
    "make format": (0, ""),  # in a copy, whose files it may change
    ".venv/bin/python -m socialcode.documentation.build": (0, ""),
    ".venv/bin/python manage.py collectstatic --no-input": (0, "static files"),
    "python -m examples.philosophers --seats 5 --rounds 5 --order ordered": (0, "25"),
    "python -m examples.philosophers --seats 5 --rounds 5 --order naive": (3, "Deadlock"),
    "python -m runner.sandbox FILE": (0, "hello"),
    "python -m runner.sandbox --test TEST FILE": (0, "passed"),
    "python -m runner.sandbox --module Name=OTHER FILE": (0, "hello"),
    "python -m runner.sandbox --json --timeout 5 --memory 256 FILE": (0, '"verdict"'),
}
IN_A_COPY = ("make format",)
FILES = {
    "FILE": "def Greet():\n    return 'hello'\n\nprint(Greet())\n",
    "TEST": "assert Greet() == 'hello'\n",
    "OTHER": "def Name():\n    return 1\n",
}


def commands() -> Iterator[tuple[str, str]]:
    """Find commands in blocks of code, as (command, page)."""
    for page in PAGES:
        for token in MarkdownIt("commonmark").parse(page.read_text("utf-8")):
            if token.type in ("fence", "code_block"):
                for line in token.content.replace("\\\n", " ").splitlines():
                    command = " ".join(line.partition("  #")[0].split())
                    if command.split(" ")[0] in COMMANDS:
                        yield command, str(page.relative_to(ROOT))


class Request(NamedTuple):
    """What `curl` sends."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


def request_of(command: str) -> Request:
    parser = argparse.ArgumentParser()
    parser.add_argument("-X", dest="method", default="GET")
    parser.add_argument("-H", dest="headers", action="append", default=[])
    parser.add_argument("-d", dest="body", default="")
    parser.add_argument("address")
    given = parser.parse_args(shlex.split(command)[1:])
    headers = dict(header.split(": ") for header in given.headers)
    path = given.address.removeprefix("http://127.0.0.1:8000")
    return Request(given.method, path, headers, given.body)


@pytest.mark.usefixtures("callers")
@pytest.mark.django_db
def test_requests_of_the_pages_are_answered() -> None:
    User.objects.create_user("demo", password="demo")
    implemented("VowelShare", "def VowelShare(text):\n    return 0.5\n")
    shown = [request_of(command) for command, _ in commands() if command.startswith("curl ")]
    token = ""
    for method, path, headers, body in sorted(
        shown, key=lambda one: "Authorization" in one.headers
    ):
        sent = {name: value.replace("<token>", token) for name, value in headers.items()}
        sent.pop("Content-Type", None)
        answer = Client(headers=sent).generic(method, path, body, "application/json")
        assert answer.status_code in (200, 201), (path, answer.content)
        token = answer.json().get("token", token)


def runner_of(command: str) -> str | None:
    """Return the pattern of the table that this command is run by."""
    known = (pattern for pattern in RUN_ELSEWHERE if fnmatchcase(command, pattern))
    return command if command in RUN_HERE else next(known, None)


def test_every_command_that_a_page_shows_is_run() -> None:
    shown = dict(commands())
    assert len(shown) > 20
    assert {command: page for command, page in shown.items() if runner_of(command) is None} == {}
    used = {runner_of(command) for command in shown}
    assert {*RUN_HERE, *RUN_ELSEWHERE} - used == set()


@pytest.mark.parametrize("pattern", RUN_ELSEWHERE)
def test_the_file_named_beside_a_command_runs_it(pattern: str) -> None:
    file, said = RUN_ELSEWHERE[pattern]
    assert said in (ROOT / file).read_text("utf-8")


def copy_of_the_checkout(home: Path) -> Path:
    """Copy the tree without what is built, with this environment."""
    built = shutil.ignore_patterns(".*", "var", "node_modules", "__pycache__", "documentation")
    folder = Path(shutil.copytree(ROOT, home / "checkout", ignore=built))
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


@pytest.mark.parametrize("command", RUN_HERE)
def test_a_command_does_what_its_page_says(command: str, tmp_path: Path) -> None:
    words, folder = shlex.split(command), ROOT
    if command in IN_A_COPY:
        folder = copy_of_the_checkout(tmp_path)
    for place, word in enumerate(words):
        name = word.rpartition("=")[2]
        if name in FILES:
            file = tmp_path / f"{name.lower()}.py"
            file.write_text(FILES[name], encoding="utf-8")
            words[place] = word.replace(name, str(file))
    if words[0].endswith("python"):
        words[0] = sys.executable
    environment = os.environ | {"SOCIALCODE_VAR": str(tmp_path)}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    codes, said = RUN_HERE[command]
    expected = codes if isinstance(codes, tuple) else (codes,)
    assert done.returncode in expected, done.stdout + done.stderr
    assert said in done.stdout + done.stderr
