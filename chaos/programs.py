"""Programs with known verdicts, which are in their tags."""

import random

from runner.programs.program import PreparedProgram, make_program
from runner.sandbox import Limits, Module

TAG = "chaos"
# Tests of `Add` by verdict.
ENDINGS = {"passed": "assert Add(1, 2) == 3", "failed": "assert Add(1, 2) == 4", "error": "1 / 0"}
PACES = {
    "quick": "",
    "slow": "import time\ntime.sleep({seconds})",
    "talking": "import time\nfor n in range(20):\n    print(n, flush=True)\n    time.sleep(0.01)",
}
LONG_MS = 60_000
# In place of a verdict: the worker is killed in each attempt.
IGNORED = "ignored"


def make(name: str, chance: random.Random, *, seconds: float | None = None) -> PreparedProgram:
    """Return the program of this name; the same name and chance give the same one."""
    verdict = chance.choices(list(ENDINGS), (6, 1, 1))[0]
    pace = chance.choices(list(PACES), (5, 3, 1))[0] if seconds is None else "slow"
    taken = chance.uniform(0.05, 0.5) if seconds is None else seconds
    body = f"{PACES[pace].format(seconds=round(taken, 2))}\n{ENDINGS[verdict]}"
    return _make(name, body, f"{TAG}:{verdict}:{chance.randrange(4)}")


def make_poison(name: str) -> PreparedProgram:
    """Return a program that runs until its worker is killed."""
    return _make(name, "import time\ntime.sleep(50)", f"{TAG}:{IGNORED}:", LONG_MS)


def _make(name: str, body: str, tag: str, wall_ms: int = 10_000) -> PreparedProgram:
    add = Module("Add", "def Add(a, b):\n    return a + b\n")
    test = Module("test", f"# {name}\n{body}\n", ("Add",))
    return make_program(
        modules=[add, test],
        entry="test",
        subject="Add",
        tag=tag,
        limits=Limits(wall_ms=wall_ms),
    )
