"""Synchronous calls: programs that run at once, in pools of their own, and are not stored."""

from runner.calls.client import run_call
from runner.calls.frames import (
    Busy,
    CallRequest,
    CallServerUnavailable,
    RateLimited,
    SourcesMissing,
)

__all__ = [
    "Busy",
    "CallRequest",
    "CallServerUnavailable",
    "RateLimited",
    "SourcesMissing",
    "run_call",
]
