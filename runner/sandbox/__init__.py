"""Runs a program in confined processes: the test and the implementation in separate ones."""

from runner.sandbox.interpreter import INTERPRETER, RUNTIME_VERSION
from runner.sandbox.javascript.source import as_module, code_of, is_javascript
from runner.sandbox.language.importable import IMPORTABLE
from runner.sandbox.pool import Pool
from runner.sandbox.programs import (
    PAGE,
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
    "PAGE",
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
    "as_module",
    "code_of",
    "inspect",
    "is_javascript",
]
