"""The client's wheel, installed into an environment of its own."""

import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.live_server_helper import LiveServer

from functions.models import Function
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS
from tests.support.site import ROOT
from tests.support.works import define, implement, publish_test

PASSWORD = "correct horse"
ADD = "def Add(a, b):\n    return a + b\n"
TWICE = "# <<Add>>\ndef Twice(a):\n    return Add(a, a)\n"


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Console:
    """Somebody's terminal: the installed command, in a folder, with a home of its own."""

    python: Path
    folder: Path
    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def command(self) -> Path:
        return self.python.with_name("socialcode")

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.python.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "SOCIALCODE_KEYRING": "0",
            "PYTHONIOENCODING": "utf-8",
            # This project's plugins, which are in the same environment.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            **self.variables,
        }

    def run(self, *words: str | Path, given: str = "") -> Said:
        """Run `socialcode` to its end."""
        return self.execute(self.command, *words, given=given)

    def execute(self, *words: str | Path, given: str = "") -> Said:
        """Run any command to its end."""
        ended = subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.environment(),
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        return Said(ended.returncode, ended.stdout, ended.stderr)

    def done(self, *words: str | Path, given: str = "") -> Said:
        """Run `socialcode`, which must succeed."""
        said = self.run(*words, given=given)
        assert said.code == 0, f"{words}: {said}"
        return said

    def within(self, folder: str) -> "Console":
        """Return the same terminal in a folder below."""
        return replace(self, folder=self.folder / folder)

    def sign_in(self, url: str, name: str) -> None:
        """Sign in as somebody who has an account."""
        self.done("login", url, "--username", name, "--password-stdin", given=f"{PASSWORD}\n")


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build and install the wheel; return the Python of the environment.

    What the client needs comes from this project's environment, which has it pinned.
    """
    folder = tmp_path_factory.mktemp("client")
    uv = Path(sys.executable).with_name("uv")
    build: list[str | Path] = [
        uv,
        "build",
        "--wheel",
        "--offline",
        "--quiet",
        "--out-dir",
        folder,
        ROOT / "client",
    ]
    subprocess.run(build, check=True, cwd=folder)
    venv.create(folder / "fresh", symlinks=True)
    python = folder / "fresh/bin/python"
    (wheel,) = folder.glob("*.whl")
    options: list[str | Path] = [
        "--quiet",
        "--offline",
        "--no-deps",
        "--no-cache",
        "--python",
        python,
    ]
    subprocess.run([uv, "pip", "install", *options, wheel], check=True, cwd=folder)
    (libraries,) = (folder / "fresh/lib").glob("python*/site-packages")
    own = [path for path in sys.path if path.endswith("-packages")]
    (libraries / "of_the_project.pth").write_text("\n".join(own) + "\n")
    return python


@pytest.fixture
def console(installed: Path, tmp_path: Path) -> Console:
    """A terminal of somebody who isn't signed in."""
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    return Console(installed, folder, home)


@pytest.fixture
def worker(transactional_db: None, session_drainer: Drainer) -> Drainer:
    """Execute what was submitted by `worker.drain()`."""
    return session_drainer


@pytest.fixture
def library(worker: Drainer) -> dict[str, Function]:
    """Two functions with a test each."""
    User.objects.create_user("mira", password=PASSWORD)
    functions = {"Add": define("Add", signature="(a, b)"), "Twice": define("Twice")}
    publish_test(functions["Add"], "assert Add(2, 3) == 5\n")
    publish_test(
        functions["Twice"], "# <<Add>>\ndef test_sum():\n    assert Twice(2) == Add(2, 2)\n"
    )
    implement(functions["Add"], ADD)
    implement(functions["Twice"], TWICE)
    worker.drain()
    return functions


@pytest.fixture
def mira(library: dict[str, Function], live_server: LiveServer, console: Console) -> Console:
    """A terminal of somebody who has signed in."""
    console.sign_in(live_server.url, "mira")
    return console
