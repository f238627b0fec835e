"""Synchronous calls: programs that run at once, in pools of their own, and are not stored."""

from runner.calls.client import run_call, run_programs
from runner.calls.frames import (
    Busy,
    CallRequest,
    CallServerUnavailable,
    RateLimited,
    SourcesMissing,
)
from runner.calls.program_frames import ProgramsRequest, Run

__all__ = [
    "Busy",
    "CallRequest",
    "CallServerUnavailable",
    "ProgramsRequest",
    "RateLimited",
    "Run",
    "SourcesMissing",
    "run_call",
    "run_programs",
]
