"""The seccomp filters kept as bytes are what libseccomp builds, and decide what they should."""

from __future__ import annotations

import errno
import platform

import pytest

from runner.sandbox import SandboxUnavailable
from runner.sandbox.jail.confinement import filters_for
from runner.sandbox.jail.filters_generated import FILTERS
from tests.sandbox.bpf import decide

try:
    from runner.sandbox.jail import filters
except (ImportError, RuntimeError, OSError):  # pyseccomp finds no libseccomp
    filters = None  # type: ignore[assignment]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW = 0x7FFF0000
KILL = 0x80000000
EPERM = 0x00050000 | errno.EPERM
ENOSYS = 0x00050000 | errno.ENOSYS
FORK = 0x01200011
THREAD = 0x003D0F00
ARGUMENTS = [
    (),
    (FORK,),
    (FORK | 0x100,),
    (THREAD,),
    (4,),
    (5,),
    (1,),
    (3,),
    (0, 0, 4),
    (0, 0, 7),
    (22,),
    (38, 1),
    (1 << 32 | 3,),
]

# On x86-64, and on aarch64.
NUMBERS = {
    "read": (0, 63),
    "write": (1, 64),
    "openat": (257, 56),
    "mmap": (9, 222),
    "socket": (41, 198),
    "clone": (56, 220),
    "clone3": (435, 435),
    "execve": (59, 221),
    "ptrace": (101, 117),
    "prlimit64": (302, 261),
    "io_uring_setup": (425, 425),
    "kill": (62, 129),
    "exit_group": (231, 94),
    "prctl": (157, 167),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "close": (3, 57),
}


@pytest.mark.skipif(filters is None, reason="needs libseccomp (apt-get install libseccomp2)")
@pytest.mark.skipif(platform.machine() not in ARCHITECTURES, reason="unknown machine")
@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("name", ["zygote", "member"])
def test_kept_filters_decide_as_newly_built_ones(machine: str, name: str) -> None:
    kept, built = FILTERS[machine][name], filters.build(name, machine)
    for number in range(-1, 600):
        for arguments in ARGUMENTS:
            call = (ARCHITECTURES[machine], number, arguments)
            assert decide(kept, *call) == decide(built, *call), call


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_a_sealed_child_may_compute_and_write_to_its_pipe(machine: str) -> None:
    def decided(call: str, *arguments: int) -> int:
        number = NUMBERS[call][list(ARCHITECTURES).index(machine)]
        # The kernel takes the strictest answer; smaller is stricter but for killing.
        answers = [
            decide(FILTERS[machine][name], ARCHITECTURES[machine], number, arguments)
            for name in ("zygote", "member")
        ]
        return KILL if KILL in answers else min(answers)

    assert decided("write", 3) == ALLOW
    assert decided("exit_group") == ALLOW
    assert decided("mmap", 0, 0, 3) == ALLOW
    assert decided("read", 3) == decided("prlimit64", 0) == ALLOW
    assert decided("write", 1) == decided("read", 0) == decided("openat") == EPERM
    assert decided("mmap", 0, 0, 7) == decided("socket") == decided("clone", FORK) == EPERM
    assert decided("prlimit64", 1) == decided("kill") == decided("prctl", 22) == EPERM
    assert decided("sendmsg", 3) == EPERM
    assert decided("clone3") == ENOSYS
    assert decided("execve") == decided("ptrace") == decided("io_uring_setup") == KILL


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_a_process_of_a_set_may_have_threads_and_borders_and_no_more(machine: str) -> None:
    def decided(call: str, *arguments: int) -> int:
        number = NUMBERS[call][list(ARCHITECTURES).index(machine)]
        answers = [
            decide(FILTERS[machine][name], ARCHITECTURES[machine], number, arguments)
            for name in ("zygote", "member")
        ]
        return KILL if KILL in answers else min(answers)

    assert decided("clone", THREAD) == decided("write", 4) == decided("read", 5) == ALLOW
    assert decided("recvmsg", 3) == ALLOW
    assert decided("clone", FORK) == decided("clone", FORK | 0x100) == EPERM
    assert decided("clone", THREAD | 0x20000000) == decided("clone", THREAD & ~0x10000) == EPERM
    assert decided("recvmsg", 4) == decided("sendmsg", 3) == decided("write", 6) == EPERM
    assert decided("write", 1) == decided("read", 0) == decided("openat") == EPERM
    assert decided("mmap", 0, 0, 7) == decided("socket") == decided("kill") == EPERM
    assert decided("prctl", 22) == decided("close", 3) == EPERM
    assert decided("execve") == decided("ptrace") == KILL


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_a_zygote_may_fork_but_not_reach_files(machine: str) -> None:
    def decided(call: str, *arguments: int) -> int:
        number = NUMBERS[call][list(ARCHITECTURES).index(machine)]
        zygote = FILTERS[machine]["zygote"]
        return decide(zygote, ARCHITECTURES[machine], number, arguments)

    assert decided("clone", FORK) == decided("sendmsg") == ALLOW
    assert decided("clone", FORK | 0x100) == decided("openat") == decided("socket") == EPERM
    assert decided("execve") == KILL


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("name", ["zygote", "member"])
def test_system_calls_of_another_machine_kill(machine: str, name: str) -> None:
    program = FILTERS[machine][name]
    for architecture in (
        0x40000003,
        0xC00000F3,
        *set(ARCHITECTURES.values()) - {ARCHITECTURES[machine]},
    ):
        assert decide(program, architecture, 1, (3,)) == KILL


def test_a_machine_without_filters_is_refused() -> None:
    with pytest.raises(SandboxUnavailable, match="none for riscv64"):
        filters_for("riscv64")
