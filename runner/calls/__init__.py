"""Calls: programs run at once, in pools of their own, and nothing of it written down."""

from runner.calls.client import ask
from runner.calls.frames import Busy, CallersAway, CallRequest, QuotaReached, SourcesLacking

__all__ = ["Busy", "CallRequest", "CallersAway", "QuotaReached", "SourcesLacking", "ask"]
