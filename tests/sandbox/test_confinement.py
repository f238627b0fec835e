"""With the policy off: plain Python under the process layer reaches nothing."""

from __future__ import annotations

import platform

import pytest

from runner.sandbox import Limits, SandboxBroken, Verdict
from tests.sandbox.conftest import RunSource

FILES = {
    "open a file": 'os.open("/etc/passwd", os.O_RDONLY)',
    "list the root": 'os.listdir("/")',
    "read its own memory map": 'open("/proc/self/maps")',
    "read another's environment": 'open("/proc/1/environ")',
    "create a file": 'os.open("/tmp/left_behind", os.O_CREAT | os.O_RDWR)',
    "make a folder": 'os.mkdir("/tmp/left_behind")',
    "look at a file": 'os.stat("/etc/passwd")',
    "delete a file": 'os.unlink("/etc/passwd")',
    "link a file": 'os.symlink("/etc/passwd", "/tmp/link")',
    "make anonymous memory executable by others": 'os.memfd_create("x")',
    "make a pipe": "os.pipe()",
    "duplicate its pipe": "os.dup(3)",
    "change the root": 'os.chdir("/")',
}
NETWORK = {
    "open an internet socket": "socket.socket(socket.AF_INET, socket.SOCK_STREAM)",
    "open a datagram socket": "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)",
    "open a local socket": "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)",
    "open a netlink socket": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "make a socket pair": "socket.socketpair()",
    "send over its pipe's socket": "socket.socket(fileno=3)",
}
PROCESSES = {
    "fork": "os.fork()",
    "start a thread": "threading.Thread(target=print).start()",
    "signal its parent": "os.kill(os.getppid(), 9)",
    "signal everyone": "os.kill(-1, 9)",
    "signal itself": "os.kill(os.getpid(), 9)",
    "change its user": "os.setuid(0)",
    "raise its priority": "os.nice(-5)",
    "name its processors": "os.sched_setaffinity(0, {0})",
    "catch a signal": "signal.signal(signal.SIGPROF, print)",
    "put off its timer": "signal.setitimer(signal.ITIMER_PROF, 1000)",
    "write to standard output": 'os.write(1, b"x")',
    "read from elsewhere": "os.read(0, 1)",
    "change another's limits": '__import__("resource").prlimit(1, 0, (0, 0))',
    "close its pipe": "os.close(3)",
    "wait for another": "os.waitpid(-1, 0)",
    "make a timer": "system_call(222, 0, 0, 0)",
    "load another filter": "system_call(157, 22, 2, 0, 0, 0)",
}
ATTACKS = {
    "execute a program": 'os.execv("/bin/sh", ["sh"])',
    "trace a process": "system_call(101, 0, 0, 0, 0)",
    "read another's memory": "system_call(310, 1, 0, 0, 0, 0, 0)",
    "load a BPF program": "system_call(321, 0, 0, 0)",
    "set up io_uring": "system_call(425, 8, 0)",
    "enter new namespaces": "system_call(272, 0x10000000)",
    "mount": "system_call(165, 0, 0, 0, 0, 0)",
    "change the root folder": "system_call(161, 0)",
    "add a key": "system_call(248, 0, 0, 0, 0, 0)",
    "handle its own page faults": "system_call(323, 0)",
    "take another's descriptor": "system_call(438, 0, 0, 0)",
    "make system calls of the 32-bit kind": "system_call(0x40000000 | 39)",
}


@pytest.mark.parametrize(
    "layer", [FILES, NETWORK, PROCESSES], ids=["files", "network", "processes"]
)
def test_plain_python_reaches_nothing_beyond_its_memory(
    run_raw: RunSource, layer: dict[str, str]
) -> None:
    code = "".join(f"values[{name!r}] = attempt(lambda: {act})\n" for name, act in layer.items())
    outcome = run_raw(code)
    assert outcome.verdict is Verdict.PASSED, outcome.message
    allowed = {name for name, answer in outcome.value.items() if answer == "allowed"}
    assert allowed == set()
    assert set(outcome.value) == set(layer)


on_x86_64 = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="names system calls by their numbers on x86-64"
)


@on_x86_64
@pytest.mark.parametrize("name", ATTACKS)
def test_system_calls_that_only_attacks_make_end_the_run(run_raw: RunSource, name: str) -> None:
    outcome = run_raw(ATTACKS[name])
    assert outcome.verdict is Verdict.POLICY
    assert "only an attack makes" in outcome.message


@on_x86_64
def test_memory_can_not_be_made_executable(run_raw: RunSource) -> None:
    executable = "system_call(9, 0, 4096, 7, 0x22, -1, 0)"
    outcome = run_raw(f"values['mapped'] = attempt(lambda: {executable})")
    assert outcome.value == {"mapped": "EPERM"}


def test_no_descriptor_but_the_pipe_is_left(run_raw: RunSource) -> None:
    refused = "('EPERM', 'EBADF')"
    code = f"""
values['open'] = [
    n for n in range(64) if attempt(lambda: os.write(n, b'')) not in {refused}
]
"""
    assert run_raw(code).value == {"open": [3]}


def test_a_child_has_no_environment(run_raw: RunSource) -> None:
    assert run_raw("values['environment'] = dict(os.environ)").value == {"environment": {}}


def test_a_forged_frame_is_not_believed(run_raw: RunSource) -> None:
    forged = 'b"\\x07" + struct.pack("<I", 34) + bytes(32) + b"{}"'
    outcome = run_raw(f"os.write(3, {forged})\nwhile True: pass")
    assert outcome.verdict is Verdict.CRASHED
    assert "no program can send" in outcome.message


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        ('b"\\xff" * 5', "a frame of kind 255"),
        ('b"\\x04" + struct.pack("<I", 1 << 31)', "a frame of kind 4"),
        ('b"\\x04" + struct.pack("<Id", 11, 0.0) + b"\\xff\\xfe\\xfd"', "isn't UTF-8"),
        ('b"\\x04" + struct.pack("<Id", 9, float("nan")) + b"x"', "another time"),
        ('b"\\x01" + struct.pack("<IQQ", 16, 0, 0)', "starts once"),
        ('b"\\x03" + struct.pack("<IQQ", 16, 0, 0)', "starts once"),
        ('b"\\x02" + struct.pack("<II", 8, 0) + b"code"', "starts once"),
        ('b"\\x06" + struct.pack("<I", 9000) + b"[" * 9000', "can't be read"),
        ('(b"\\x05" + struct.pack("<IQQ", 16, 0, 0)) * 2', "loads once"),
        ('b"\\x06" + struct.pack("<I", 26) + b\'["a", "passed", "", 1e999]\'', "can't be read"),
        ('b"\\x06" + struct.pack("<I", 2) + b"{}"', "malformed case"),
    ],
)
def test_hostile_frames_crash_their_run_only(run_raw: RunSource, frame: str, why: str) -> None:
    outcome = run_raw(f"os.write(3, {frame})\nwhile True: pass", limits=Limits(cpu_ms=3000))
    assert outcome.verdict is Verdict.CRASHED
    assert why in outcome.message
    assert run_raw("values['well'] = True").value == {"well": True}


def test_leaving_without_a_result_is_never_a_pass(run_raw: RunSource) -> None:
    for code in ("os._exit(0)", "ctypes.string_at(0)"):
        assert run_raw(code).verdict is Verdict.CRASHED


def test_a_result_with_something_after_it_is_not_believed(run_raw: RunSource) -> None:
    steal = """
import sys
frame = sys._getframe()
while "template" not in frame.f_locals:
    frame = frame.f_back
sent = []
output._send = sent.append
output.result(None, frame.f_locals["content"][0])
os.write(3, sent[0] + b"x")
while True: pass
"""
    outcome = run_raw("output.print('begun')\n" + steal)
    assert outcome.verdict is Verdict.CRASHED
    assert "after the last frame" in outcome.message


def test_a_child_cannot_raise_its_limits(run_raw: RunSource) -> None:
    raised = "__import__('resource').setrlimit({}, (-1, -1))"
    outcome = run_raw(
        "".join(
            f"values[{n}] = attempt(lambda: {raised.format(n)})\n" for n in (0, 1, 3, 4, 6, 7, 8, 9)
        )
    )
    assert "allowed" not in outcome.value.values()


def test_a_broken_child_harms_no_other(run_raw: RunSource) -> None:
    try:
        run_raw("gc.collect()\nctypes.memset(0, 0, 1)")
    except SandboxBroken as broken:
        pytest.fail(str(broken))
    assert run_raw("values['well'] = 1").value == {"well": 1}
