"""With the policy off: plain Python under the process layer reaches nothing."""

from __future__ import annotations

import pytest

from runner.sandbox import Limits, SandboxBroken, Verdict
from tests.sandbox.conftest import RunSource


def test_memory_can_not_be_made_executable(run_bare: RunSource) -> None:
    executable = "system_call(9, 0, 4096, 7, 0x22, -1, 0)"
    outcome = run_bare(f"values['mapped'] = attempt(lambda: {executable})")
    assert outcome.value == {"mapped": "EPERM"}


def test_no_descriptor_but_the_pipe_is_left(run_bare: RunSource) -> None:
    refused = "('EPERM', 'EBADF')"
    code = f"""
values['open'] = [
    n for n in range(64) if attempt(lambda: os.write(n, b'')) not in {refused}
]
"""
    assert run_bare(code).value == {"open": [3]}


def test_a_child_has_no_environment(run_bare: RunSource) -> None:
    assert run_bare("values['environment'] = dict(os.environ)").value == {"environment": {}}


def test_a_forged_frame_is_not_believed(run_bare: RunSource) -> None:
    forged = 'b"\\x07" + struct.pack("<I", 34) + bytes(32) + b"{}"'
    outcome = run_bare(f"os.write(3, {forged})\nwhile True: pass")
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
        ('b"\\x07" + struct.pack("<I", 9000) + b"[" * 9000', "can't be read"),
        ('b"\\x07" + struct.pack("<I", 26) + b\'["a", "passed", "", 1e999]\'', "can't be read"),
        ('b"\\x07" + struct.pack("<I", 2) + b"{}"', "malformed case"),
    ],
)
def test_hostile_frames_crash_their_run_only(run_bare: RunSource, frame: str, why: str) -> None:
    outcome = run_bare(f"os.write(3, {frame})\nwhile True: pass", limits=Limits(cpu_ms=3000))
    assert outcome.verdict is Verdict.CRASHED
    assert why in outcome.message
    assert run_bare("values['well'] = True").value == {"well": True}


def test_leaving_without_a_result_is_never_a_pass(run_bare: RunSource) -> None:
    for code in ("os._exit(0)", "ctypes.string_at(0)"):
        assert run_bare(code).verdict is Verdict.CRASHED


def test_a_result_with_something_after_it_is_not_believed(run_bare: RunSource) -> None:
    steal = """
import sys
frame = sys._getframe()
while "template" not in frame.f_locals:
    frame = frame.f_back
sent = []
output._write_all = sent.append
output.result(None, frame.f_locals["content"]["token"])
os.write(3, sent[0] + b"x")
while True: pass
"""
    outcome = run_bare(steal)
    assert outcome.verdict is Verdict.CRASHED
    assert "after the last frame" in outcome.message


def test_a_child_cannot_raise_its_limits(run_bare: RunSource) -> None:
    raised = "__import__('resource').setrlimit({}, (-1, -1))"
    outcome = run_bare(
        "".join(
            f"values[{n}] = attempt(lambda: {raised.format(n)})\n" for n in (0, 1, 3, 4, 6, 7, 8, 9)
        )
    )
    assert "allowed" not in outcome.value.values()


def test_a_broken_child_harms_no_other(run_bare: RunSource) -> None:
    try:
        run_bare("gc.collect()\nctypes.memset(0, 0, 1)")
    except SandboxBroken as broken:
        pytest.fail(str(broken))
    assert run_bare("values['well'] = 1").value == {"well": 1}
