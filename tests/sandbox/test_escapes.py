"""A corpus of hostile programs: none gets what it is after, and each ends as it says itself.

Every file in `escapes/` says in its first lines what it is after, what stops it, and how its run
ends. It calls `reached(...)` with what it was after, if it gets that far. In `forging/` it is an
implementation, followed by the test that it would like to pass; in `kernel/` it is plain Python
without a policy, for which the process layer alone is left.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from runner.sandbox import Limits, Verdict
from runner.sandbox.judging import result_of
from runner.sandbox.output import Output
from tests.sandbox.conftest import RunSource

FOLDER = Path(__file__).parent / "escapes"
STOPPED_BY = {"policy", "guard", "import", "kernel", "supervisor", "nothing to gain"}
# By the policy before it runs, or by an exception where it runs.
REFUSED = {Verdict.POLICY, Verdict.ERROR}
TEST = re.compile(r"^# --- its test\n", re.MULTILINE)

LIMITS = Limits(wall_ms=4_000, cpu_ms=2_000, memory_bytes=128 << 20)
# For what would go on for ever.
SHORT_LIMITS = Limits(wall_ms=400, cpu_ms=200, memory_bytes=128 << 20)
REACHED = (
    "def reached(thing=None):\n    log('reached', type(thing))\n    return thing\n\n\nF = reached\n"
)


@dataclass(frozen=True)
class Escape:
    """One file of the corpus."""

    path: Path
    source: str
    stopped_by: str
    ends: frozenset[Verdict]
    is_open: str

    @property
    def kind(self) -> str:
        return self.path.parent.name


def read(path: Path) -> Escape:
    source = path.read_text("utf-8")
    says = dict(re.findall(r"^# (stopped by|ends|open): (.+)$", source, re.MULTILINE))
    ends: set[Verdict] = set()
    for end in says["ends"].split(" | "):
        ends |= REFUSED if end == "refused" else {Verdict(end)}
    return Escape(path, source, says["stopped by"], frozenset(ends), says.get("open", ""))


ESCAPES = [read(path) for path in sorted(FOLDER.glob("*/*.py"))]


def parameter(escape: Escape) -> object:
    """One that is known to be open must fail, so that who closes it takes its mark away."""
    marks = [pytest.mark.xfail(strict=True, reason=escape.is_open)] if escape.is_open else []
    return pytest.param(escape, id=f"{escape.kind}/{escape.path.stem}", marks=marks)


@pytest.mark.parametrize("escape", [parameter(escape) for escape in ESCAPES])
def test_no_hostile_program_gets_what_it_is_after(
    request: pytest.FixtureRequest, escape: Escape
) -> None:
    limits = SHORT_LIMITS if Verdict.TIME_LIMIT in escape.ends else LIMITS
    # By name, for no second pool where one test is run alone.
    run: RunSource = request.getfixturevalue("run_raw" if escape.kind == "kernel" else "run_test")
    if escape.kind == "kernel":
        outcome = run(REACHED + escape.source, limits=limits)
    elif escape.kind == "forging":
        outcome = run(*TEST.split(escape.source), limits=limits)
    else:
        outcome = run(REACHED, escape.source, limits=limits)
    assert [line.text for line in outcome.log if line.text.startswith("reached")] == []
    assert outcome.verdict in escape.ends, outcome


def test_every_hostile_program_says_what_stops_it() -> None:
    assert len(ESCAPES) > 200
    for escape in ESCAPES:
        assert escape.source.startswith("# "), escape.path
        assert escape.stopped_by in STOPPED_BY, escape.path
        assert (escape.kind == "kernel") <= (escape.stopped_by in ("kernel", "supervisor"))
        assert (escape.kind == "forging") == bool(TEST.search(escape.source)), escape.path


def test_output_can_not_be_forged_by_a_string_with_methods(run_code: RunSource) -> None:
    code = """
class Sly(str):
    def __radd__(self, other):
        log('seen', type(other))
        return self
    def split(self, *a):
        return [self]
    def encode(self, *a):
        return b'forged'
    def join(self, parts):
        return self
print('a', end=Sly('b'))
print('c', 'd', sep=Sly('-'))
print(Sly('e'), end='')
class Problem(Exception):
    def __str__(self):
        return Sly('f')
raise Problem
"""
    outcome = run_code(code)
    assert [line.text for line in outcome.log] == ["abc-d", "e"]
    assert outcome.message == "Problem: f"


def test_an_exception_whose_name_raises_is_the_codes_own_fault(run_code: RunSource) -> None:
    outcome = run_code(
        "class E(NameError):\n    @property\n    def name(self): raise ValueError\nraise E('boo')"
    )
    assert (outcome.verdict, outcome.message) == (Verdict.ERROR, "E: boo")


def test_runs_leave_nothing_behind_for_each_other(run_code: RunSource) -> None:
    leave = "import json, decimal, re, random\njson.JSONEncoder.left = 1\n"
    run_code(leave)
    run_code("import decimal, random\ndecimal.getcontext().prec = 3\nrandom.seed(1)\nlog.left = 1")
    outcome = run_code(
        "import decimal, json\nassert decimal.getcontext().prec == 28\n"
        "assert not hasattr(json.JSONEncoder, 'left') and not hasattr(log, 'left')"
    )
    assert outcome.verdict is Verdict.PASSED, outcome.message


def test_a_verdict_is_not_encoded_by_what_user_code_could_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Heard(Output):
        heard = b""

        def _send(self, frames: bytes | bytearray) -> None:
            self.heard += frames

    output = Heard(-1)
    for method in ("encode", "iterencode", "default"):
        monkeypatch.setattr(json.JSONEncoder, method, lambda *_: '{"verdict": "passed"}')
    output.result(result_of("failed", "Grüße", trace=[("F", 1, "f", "f()")], value=[1.5]), b"")
    assert b'"verdict": "failed", "message": "Gr\\u00fc\\u00dfe"' in output.heard
    assert b'[["F", 1, "f", "f()"]], "value": [1.5]}' in output.heard
