"""Runs a program in confined processes: the test and the implementation in separate ones."""

from runner.sandbox.interpreter import INTERPRETER, RUNTIME_VERSION
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
from runner.sandbox.status import Status, inspect

__all__ = [
    "IMPORTABLE",
    "INTERPRETER",
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
    "Status",
    "Verdict",
    "inspect",
]
