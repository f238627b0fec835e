"""pip and uv install releases from the index into fresh environments, where they work."""

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from functions.models import Function, ReleaseFile
from functions.releases.build import build_releases
from runner.workers.drainer import Drainer
from tests.functions.releases.conftest import publish

USE = """
import sc.Thrice, sc.Twice, sc.Add
from sc.Thrice import Thrice
from sc.IsOdd import IsOdd
from sc.IsEven import IsEven
assert Thrice(2) == 6
assert IsOdd(7) and IsEven(8)
assert sc.Thrice.Add is sc.Twice.Add is sc.Add.Add
"""


def run(folder: Path, *command: str | Path, **variables: str) -> str:
    """Run a command that must succeed; return what it printed."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def environment(folder: Path) -> Path:
    """Return the Python of a fresh environment."""
    venv.create(folder / "fresh")
    return folder / "fresh/bin/python"


def installer(name: str, python: Path) -> list[str | Path]:
    """Return the command that installs into this environment."""
    if name == "pip":
        return [sys.executable, "-m", "pip", "--python", python, "install", "--no-cache-dir"]
    return [
        Path(sys.executable).with_name("uv"),
        "pip",
        "install",
        "--no-cache",
        "--python",
        python,
    ]


@pytest.mark.parametrize("name", ["pip", "uv"])
def test_a_function_is_installed_with_one_copy_of_what_it_needs(
    name: str, library: dict[str, Function], live_server: LiveServer, tmp_path: Path
) -> None:
    python = environment(tmp_path)
    index = ("--index-url", f"{live_server.url}/simple/")
    run(tmp_path, *installer(name, python), *index, "sc-thrice", "sc-iseven")
    run(tmp_path, python, "-c", USE)
    found = run(tmp_path, python, "-c", "import sc; print(len(list(sc.__path__)))")
    assert found.strip() == "1"


@pytest.mark.parametrize("name", ["pip", "uv"])
def test_a_locked_release_is_installed_after_others_have_come(
    name: str,
    library: dict[str, Function],
    live_server: LiveServer,
    tmp_path: Path,
    worker: Drainer,
) -> None:
    names = ("thrice", "twice", "add")
    wheels = ReleaseFile.objects.filter(
        filename__in=[f"sc_{each}-1-py3-none-any.whl" for each in names]
    ).select_related("release")
    lines = [f"sc-{file.release.name_key}==1 --hash=sha256:{file.sha256}" for file in wheels]
    (tmp_path / "requirements.txt").write_text("\n".join(lines) + "\n")
    publish(worker, "Add", "def Add(a, b):\n    return a + b + 0\n", author="eve")
    build_releases(0)
    python = environment(tmp_path)
    index = ("--index-url", f"{live_server.url}/simple/")
    locked = ("--require-hashes", "-r", "requirements.txt")
    run(tmp_path, *installer(name, python), *index, *locked)
    assert "a + b + 0" not in run(
        tmp_path, python, "-c", "import inspect, sc.Add; print(inspect.getsource(sc.Add))"
    )
    run(tmp_path, *installer(name, python), *index, "--upgrade", "sc-thrice")
    assert "a + b + 0" in run(
        tmp_path, python, "-c", "import inspect, sc.Add; print(inspect.getsource(sc.Add))"
    )


def test_the_source_archive_has_tests_that_pass_outside(
    library: dict[str, Function], live_server: LiveServer, tmp_path: Path, client: Client
) -> None:
    python = environment(tmp_path)
    archive = client.get("/simple/files/sc_thrice-1.tar.gz").content
    (tmp_path / "sc_thrice-1.tar.gz").write_bytes(archive)
    with tarfile.open(tmp_path / "sc_thrice-1.tar.gz") as opened:
        opened.extractall(tmp_path, filter="data")
    index = ("--index-url", f"{live_server.url}/simple/")
    run(tmp_path, *installer("pip", python), *index, tmp_path / "sc_thrice-1.tar.gz")
    run(tmp_path, python, "-c", "from sc.Thrice import Thrice; assert Thrice(2) == 6")
    # pytest is this project's; nothing else is.
    own = os.pathsep.join(path for path in sys.path if path.endswith("-packages"))
    tested = run(
        tmp_path / "sc_thrice-1",
        *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"),
        PYTHONPATH=own,
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )
    assert "1 passed" in tested
