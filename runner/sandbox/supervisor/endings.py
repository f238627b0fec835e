"""What the end of a process means that has not told a result."""

from __future__ import annotations

import os
import signal

from runner.sandbox.programs import SandboxBroken, Verdict
from runner.sandbox.supervisor.messages import EXIT_NO_PROGRAM, EXIT_UNCONFINED
from runner.sandbox.supervisor.protocol import Result


def judge_signal(number: int) -> Result | SandboxBroken:
    """What it means that a signal has ended a process amid its program."""
    name = _signal_name(number)
    match number:
        case signal.SIGSYS:
            return Result(Verdict.POLICY, "made a system call that only an attack makes")
        case signal.SIGKILL:
            # Not by us, and no program can: somebody did it, or memory ran out for everyone.
            return SandboxBroken("a child was killed from outside")
        case signal.SIGXCPU:
            # Nobody has looked at it for as long.
            return Result(Verdict.TIME_LIMIT, "computed for far longer than is allowed")
        case signal.SIGSEGV:
            name += ", most likely by recursing too deeply"
    return Result(Verdict.CRASHED, f"took its process down ({name})")


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def described(status: int | None) -> str:
    """How a process ended, in words."""
    if status is None:
        return "nobody tells how"
    if os.WIFSIGNALED(status):
        return _signal_name(os.WTERMSIG(status))
    code = os.WEXITSTATUS(status)
    known = {EXIT_UNCONFINED: "it could not confine itself", EXIT_NO_PROGRAM: "it got no program"}
    return known.get(code, f"exit code {code}")
