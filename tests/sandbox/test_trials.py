"""The trials of layers: what they attempt succeeds where the layer is missing, and is noticed."""

from __future__ import annotations

import dataclasses
import os
import signal
import socket
from pathlib import Path

import pytest

from runner.sandbox import Pool
from runner.sandbox.jail.trials import ATTEMPTS, ENDED_BY, Trial
from runner.sandbox.supervisor import remedies
from runner.sandbox.supervisor.layers import LAYERS, lost_layers

IS_ROOT = os.getuid() == 0
# What the kernel never allows, and what it allows to root alone.
NEVER = {"no new privileges"}
TO_ROOT = {"no capabilities"}


@pytest.mark.parametrize("layer", sorted(ATTEMPTS.keys() - NEVER))
def test_without_its_layer_an_attempt_succeeds(layer: str) -> None:
    if layer in TO_ROOT and not IS_ROOT:
        pytest.skip("only root may do this")
    outside = f"\0trial-{os.getpid()}-{layer}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(outside)
        listener.listen()
        trial = Trial(os.getpid(), outside)
        escape = trial.find_escape(layer)
        with pytest.raises(RuntimeError, match=f"a child could {escape}"):
            trial.require(layer)
        trial.close()
    assert escape in {*ATTEMPTS[layer], "connect to a socket outside"}
    assert trial.attempts >= 2


def test_a_child_that_cannot_be_confined_has_not_been_tried() -> None:
    trial = Trial(os.getpid(), "\0nobody")
    assert trial.find_escape("seccomp", lambda: os._exit(255)) == "not be confined"
    killed = trial.find_escape("seccomp", lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert killed == "not be confined"
    trial.close()


def test_every_layer_that_programs_run_in_has_been_tried(pool: Pool) -> None:
    layers = pool.layers
    assert layers is not None
    assert layers.attempts >= len(ATTEMPTS["seccomp"]) + len(ENDED_BY)
    assert 0 < layers.trial_ms < 10_000
    assert all(layer.trials for layer in LAYERS)


def test_a_missing_layer_comes_with_its_meaning(pool: Pool) -> None:
    assert pool.layers is not None
    bare = dataclasses.replace(
        pool.layers, launcher="bare", namespaces=False, empty_root=False, landlock=0, user=0
    )
    lost = lost_layers(bare)
    assert [layer.name for layer in lost] == [
        "namespaces",
        "empty root",
        "Landlock",
        "Landlock for TCP",
        "Landlock for signals",
        "ordinary user",
    ]
    assert all(layer.without for layer in lost)


@pytest.mark.parametrize(
    ("layer", "file", "content", "remedy"),
    [
        ("namespaces", "/proc/sys/user/max_user_namespaces", "0\n", "max_user_namespaces=15000"),
        ("namespaces", "/proc/sys/kernel/unprivileged_userns_clone", "0\n", "userns_clone=1"),
        (
            "empty root",
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            "1\n",
            "AppArmor profile",
        ),
        ("namespaces", "/proc/self/status", "Name:\tx\nSeccomp:\t2\n", "pivot_root"),
        ("Landlock", "/proc/self/status", "Name:\tx\nSeccomp:\t2\n", "2022 or newer"),
    ],
)
def test_a_machine_that_lacks_a_layer_is_told_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, layer: str, file: str, content: str, remedy: str
) -> None:
    files = {file: content}
    monkeypatch.setattr(remedies, "_read", lambda path: files.get(path, ""))
    assert remedy in "".join(remedies.find_remedies(layer))
    files.clear()
    assert remedy not in "".join(remedies.find_remedies(layer))


def test_a_kernel_without_landlock_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"/sys/kernel/security/lsm": "capability,landlock,yama"}
    monkeypatch.setattr(remedies, "_read", lambda path: files.get(path, ""))
    assert "lsm=" not in "".join(remedies.find_remedies("Landlock"))
    files.clear()
    assert "lsm=" in "".join(remedies.find_remedies("Landlock"))


def test_the_remedies_are_about_files_of_linux() -> None:
    assert "Seccomp:" in Path("/proc/self/status").read_text(encoding="utf-8")
    assert Path("/proc/sys/user/max_user_namespaces").exists()
