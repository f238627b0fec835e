"""What is deployed is made of settings, commands and addresses that there are."""

import json
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands

from socialcode.server.probes import PROBES
from tests.architecture.source import setting_names
from tests.deploy.files import (
    DEPLOY,
    PYTHON,
    ROOT,
    UNITS,
    assignments,
    compose,
    instructions,
    program,
    read,
    site_services,
    unit,
)

SERVICES = [path for path in UNITS if path.suffix == ".service"]
# Read by the image's tools or by Python, and not by the settings.
FOREIGN = {"PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
WEB_PORT = 8000


def commands() -> dict[str, list[str]]:
    """Return the command line of each process, by where it is written."""
    units = {path.name: unit(path)["Service"]["ExecStart"] for path in SERVICES}
    found = {name: shlex.split(line) for name, line in units.items()}
    for name, service in site_services().items():
        if "command" in service:
            found[f"compose {name}"] = service["command"]
    found["image"] = json.loads(next(instructions("CMD")))
    return found


@pytest.mark.parametrize(("where", "words"), commands().items())
def test_each_process_is_a_command_or_module_of_the_site(where: str, words: list[str]) -> None:
    python, *rest = words
    assert PYTHON.search(python), where
    if rest[0] == "-m":
        assert find_spec(rest[1]), where
    else:
        assert rest[0] == "manage.py"
        assert rest[1] in get_commands(), where


def test_all_kinds_of_processes_are_there_in_both_ways() -> None:
    needed = {"worker", "callers", "migrate", "send_digests", "socialcode.web"}
    by_units = {word for name, words in commands().items() if ".service" in name for word in words}
    by_compose = {word for name, words in commands().items() if ".s" not in name for word in words}
    assert needed <= by_units
    assert needed <= by_compose


def variables() -> dict[str, set[str]]:
    """Return the names of variables that processes of the site get, by where they are set."""
    found = {f"compose {name}": set(one["environment"]) for name, one in site_services().items()}
    found["socialcode.env"] = set(assignments(read("socialcode.env.example")))
    found["image"] = set(re.findall(r"(\w+)=", " ".join(instructions("ENV"))))
    for path in SERVICES:
        found[path.name] = {unit(path)["Service"]["Environment"].partition("=")[0]}
    return found


@pytest.mark.parametrize(("where", "names"), variables().items())
def test_each_variable_is_a_setting_that_the_site_reads(where: str, names: set[str]) -> None:
    assert names - setting_names() - FOREIGN == set(), where


def test_what_the_compose_file_asks_for_is_in_its_example() -> None:
    asked = set(re.findall(r"\$\{(\w+)", read("compose.yaml")))
    assert asked == set(assignments(read("compose.env.example")))
    caddys = set(re.findall(r"\{\$(\w+)", read("Caddyfile")))
    assert caddys == set(compose()["services"]["caddy"]["environment"])


def test_secrets_are_left_empty_in_the_examples() -> None:
    for name in ("socialcode.env.example", "compose.env.example"):
        given = assignments(read(name))
        secrets = {key for key in given if "SECRET" in key or "PASSWORD" in key or "TOKEN" in key}
        assert "SECRET_KEY" in secrets
        assert {given[key] for key in secrets} == {""}


def test_sockets_and_ports_agree() -> None:
    image = dict(re.findall(r"(\w+)=(\S+)", " ".join(instructions("ENV"))))
    host = assignments(read("socialcode.env.example"))
    for name in ("SOCIALCODE_CALLERS_SOCKET", "SOCIALCODE_ANALYSIS_SOCKET"):
        assert image[name] == host[name]
        assert Path(host[name]).parent == Path("/run/socialcode")
    for name in ("web", "callers"):
        assert "sockets:/run/socialcode" in site_services()[name]["volumes"]
    callers = unit(DEPLOY / "systemd/socialcode-callers@.service")["Service"]
    assert f"/run/{callers['RuntimeDirectory']}" == "/run/socialcode"
    assert image["SOCIALCODE_ANALYSIS_SOCKET"] in str(site_services()["callers"]["healthcheck"])
    assert commands()["image"][-1] == str(WEB_PORT)
    assert list(instructions("EXPOSE")) == [str(WEB_PORT)]
    assert compose()["services"]["caddy"]["environment"]["UPSTREAM"] == f"web:{WEB_PORT}"
    assert f"UPSTREAM:127.0.0.1:{WEB_PORT}" in read("Caddyfile")
    assert f"server 127.0.0.1:{WEB_PORT};" in read("nginx.conf")


def test_a_process_for_each_worker_that_the_settings_count() -> None:
    worker = site_services()["worker"]
    assert worker["deploy"]["replicas"] == worker["environment"]["SOCIALCODE_WORKERS"]


def test_the_image_is_probed_where_the_site_answers() -> None:
    probed = re.findall(r"http://127\.0\.0\.1:(\d+)(/\w+)", read("Containerfile"))
    assert probed == [(str(WEB_PORT), "/healthz")]
    assert "/healthz" in PROBES


def test_everything_that_the_image_copies_is_in_the_tree() -> None:
    copied = [line.split()[:-1] for line in instructions("COPY") if "--from" not in line]
    missing = [name for names in copied for name in names if not (ROOT / name).exists()]
    assert missing == []


@pytest.mark.parametrize("name", ["worker@", "callers@"])
def test_units_of_the_sandbox_leave_it_what_it_needs(name: str) -> None:
    service = unit(DEPLOY / f"systemd/socialcode-{name}.service")["Service"]
    assert service["NoNewPrivileges"] == "yes"
    forbidding = "RestrictNamespaces SystemCallFilter LockPersonality PrivateUsers ProtectProc"
    forbidding += " ProtectKernelTunables ProtectKernelLogs MemoryDenyWriteExecute"
    assert set(forbidding.split()) & set(service) == set()


def test_units_stop_as_long_as_the_site_needs_and_know_each_other() -> None:
    names = {path.name for path in UNITS}
    for path in UNITS:
        text = path.read_text(encoding="utf-8")
        for other in re.findall(r"socialcode-?[a-z@\d]*\.(?:service|socket|target|timer)", text):
            assert re.sub(r"@\d", "@", other) in names
    for name in ("web@", "worker@", "callers@"):
        service = unit(DEPLOY / f"systemd/socialcode-{name}.service")["Service"]
        assert int(service["TimeoutStopSec"]) > 10  # a worker's time to hand back


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    analyze = program("systemd-analyze")
    for path in UNITS:
        text = path.read_text(encoding="utf-8")
        (tmp_path / path.name).write_text(
            text.replace("/srv/socialcode/.venv/bin/python", sys.executable)
        )
    run = subprocess.run(
        [analyze, "verify", "--man=no", *map(str, tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in run.stderr.splitlines() if "socialcode" in line] == []
