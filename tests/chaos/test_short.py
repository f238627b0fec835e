"""Some faults, once each, amid a load on processes and on hosts of their own."""

import os
import subprocess
import sys

import pytest

from tests.support.site import ROOT

TIMEOUT_SECONDS = 280  # of a machine that is very busy; a quiet one needs half a minute
ENGINES = ("DATABASE_URL", "REDIS_URL")


def play(*words: str, seed: int) -> tuple[int, int]:
    """Play a round by this module and options; return how many were injected, and struck."""
    ended = subprocess.run(
        [sys.executable, "-m", *words, "--seed", str(seed)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in ENGINES},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr[-20_000:]
    if ended.stdout.startswith("Skipped: "):
        pytest.skip(ended.stdout)
    (total,) = (line for line in ended.stdout.splitlines() if line.startswith("all  "))
    injected, struck = map(int, total.split()[1:3])
    return injected, struck


def test_faults_amid_a_load_lose_double_and_spoil_nothing() -> None:
    injected, struck = play("chaos", "--short", "batches", seed=7)
    assert injected == 6
    assert struck >= 4


def test_faults_amid_events_leave_each_client_with_the_whole_log_once_and_in_order() -> None:
    # A server is killed first: it is back, and the dead one forgotten, when the others are over.
    injected, struck = play("chaos", "--short", "streams", seed=21)
    assert injected == 6
    assert struck >= 4


def test_faults_of_whole_hosts_lose_double_and_spoil_nothing() -> None:
    injected, struck = play("chaos.hosts", "--short", seed=7)
    assert injected == 5
    assert struck >= 3


def test_without_namespaces_it_is_said_why_no_host_is_made() -> None:
    command = [sys.executable, "-m", "chaos.hosts"]
    environment = {**os.environ, "PATH": ""}
    said = subprocess.check_output(command, cwd=ROOT, env=environment, text=True)
    assert said == "Skipped: the program nsenter is missing (apt-get install util-linux).\n"
