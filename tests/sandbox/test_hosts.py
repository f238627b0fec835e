"""Hosts that provide more or less: root and others, containers, machines that lack something."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runner.sandbox import Pool, SandboxUnavailable
from runner.sandbox.supervisor import launcher as launching
from runner.sandbox.supervisor.prefork import Prefork
from tests.sandbox.conftest import program_alone
from tests.sandbox.test_pool import descendants

try:
    from tests.sandbox import container
except (ImportError, RuntimeError, OSError):  # pyseccomp finds no libseccomp
    container = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parents[2]
IS_ROOT = os.getuid() == 0
TOOL = [sys.executable, "-m", "runner.sandbox"]
CONTAINER = [sys.executable, "-m", "tests.sandbox.container"]
# Somebody who may read what Python is started from, but is nobody else.
ORDINARY = "setpriv --reuid 12345 --regid 12345 --clear-groups --inh-caps=+dac_read_search".split()
ORDINARY.append("--ambient-caps=+dac_read_search")

in_containers = pytest.mark.skipif(
    container is None, reason="needs libseccomp (apt-get install libseccomp2)"
)
users = pytest.mark.parametrize(
    "user",
    [
        pytest.param([], id="root" if IS_ROOT else "present user"),
        pytest.param(
            ORDINARY,
            id="ordinary user",
            marks=pytest.mark.skipif(
                not IS_ROOT or shutil.which("setpriv") is None, reason="needs root and setpriv"
            ),
        ),
    ],
)


def said(*command: str, code: int = 0, stdin: str = "") -> str:
    done = subprocess.run(
        command, cwd=ROOT, input=stdin, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@users
def test_programs_run_whoever_starts_them(user: list[str]) -> None:
    status = said(*user, *TOOL, "status")
    assert status.startswith("available")
    assert "lost: ordinary user" not in status
    assert said(*user, *TOOL, "-", stdin="print(6 * 7)").startswith("42\n")


@in_containers
@users
def test_a_container_with_the_default_profile_loses_namespaces_only(user: list[str]) -> None:
    status = json.loads(said(*user, *CONTAINER, *TOOL, "status", "--json"))
    assert status["launcher"] == "bare"
    layers = {layer["name"]: layer for layer in status["layers"]}
    lost = {name for name, layer in layers.items() if not layer["holds"]}
    # Root of a container may change its root folder, and nobody else may.
    assert lost - {"Landlock for TCP", "Landlock for signals"} == (
        {"namespaces"} if IS_ROOT and not user else {"namespaces", "empty root"}
    )
    assert any("in a container" in remedy for remedy in layers["namespaces"]["remedies"])
    refused = [reason.partition(":")[0] for reason in status["refused"]]
    assert refused == ["namespaces", "bubblewrap"]


@in_containers
@users
def test_programs_are_still_confined_in_a_container(user: list[str]) -> None:
    assert said(*user, *CONTAINER, *TOOL, "-", stdin="print(6 * 7)").startswith("42\n")
    script = """
from runner.sandbox import Pool
from runner.sandbox.supervisor.prefork import Prefork
from tests.sandbox.test_attacks_on_hosts import ATTACKS, reached_by
with Pool(prefork=Prefork(ahead=1, run="tests.sandbox.bare:run_bare")) as pool:
    assert pool.layers.launcher == "bare"
    print([attack.name for attack in ATTACKS if reached_by(attack, pool)])
"""
    assert said(*user, *CONTAINER, sys.executable, "-c", script) == "[]\n"


@in_containers
def test_without_resource_limits_nothing_runs() -> None:
    refused = ["--without", "setrlimit", "--without", "prlimit64"]
    status = said(*CONTAINER, *refused, *TOOL, "status", code=2)
    assert status.startswith("unavailable: code can't be confined here, so nothing is run")
    assert "bare: " in status
    assert "nothing is run" in said(*CONTAINER, *refused, *TOOL, "-", stdin="1", code=2)


@in_containers
def test_without_landlock_the_rest_holds() -> None:
    status = said(*CONTAINER, "--without", "landlock_create_ruleset", *TOOL, "status")
    assert status.startswith("available")
    assert "lost: Landlock: " in status
    assert "to get it: in a container: use a seccomp profile" in status


@pytest.mark.parametrize("launcher", launching.LAUNCHERS)
def test_the_environment_leaves_no_trace(launcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_WORKER", "never to be seen")
    monkeypatch.setattr(launching, "LAUNCHERS", (launcher,))
    try:
        prefork = Prefork(ahead=1, run="tests.sandbox.bare:run_bare")
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))
    with Pool(prefork=prefork) as pool:
        code = "values['known'] = dict(os.environ)\nvalues['c'] = ctypes.CDLL(None).getenv(b'TZ')"
        assert pool.run(program_alone(code)).value == {"known": {}, "c": 0}
        assert pool.zygote_pid is not None
        seen = [variables_of(pid) for pid in (pool.zygote_pid, *descendants(pool.zygote_pid))]
    # Whoever isn't root can't even look.
    assert {variables for name, variables in seen if name != "bwrap"} <= {b"", None}
    assert all(b"OF_THE_WORKER" not in (variables or b"") for _, variables in seen)


def variables_of(pid: int) -> tuple[str, bytes | None]:
    """The name of a process, and what memory it has for its first environment."""
    try:
        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except (FileNotFoundError, ProcessLookupError):
        # It has ended since it was listed.
        return "", None
    try:
        return name, Path(f"/proc/{pid}/environ").read_bytes().strip(b"\0")
    except (PermissionError, FileNotFoundError, ProcessLookupError):
        return name, None


def test_clocks_show_the_same_zone_without_an_environment(bare_pool: Pool) -> None:
    code = """
time = __import__("time")
values["zone"] = time.strftime("%Z", time.localtime(0))
values["hour"] = [time.localtime(0).tm_hour, time.localtime(15_552_000).tm_hour]
values["back"] = time.mktime((1970, 1, 2, 0, 0, 0, 0, 0, 0))
"""
    assert bare_pool.run(program_alone(code)).value == {
        "zone": "UTC",
        "hour": [0, 0],
        "back": 86_400,
    }
