"""Runs a program in confined processes: the test and the implementation in separate ones."""

from runner.sandbox.language.importable import IMPORTABLE
from runner.sandbox.pool import Pool
from runner.sandbox.programs import (
    Cancelled,
    Case,
    Complaint,
    Limits,
    LogLine,
    Module,
    Outcome,
    Program,
    Refused,
    SandboxBroken,
    SandboxUnavailable,
    Verdict,
)
from runner.sandbox.supervisor.launcher import confinement_status
from runner.sandbox.version import RUNTIME_VERSION

__all__ = [
    "IMPORTABLE",
    "RUNTIME_VERSION",
    "Cancelled",
    "Case",
    "Complaint",
    "Limits",
    "LogLine",
    "Module",
    "Outcome",
    "Pool",
    "Program",
    "Refused",
    "SandboxBroken",
    "SandboxUnavailable",
    "Verdict",
    "confinement_status",
]
