"""Executes one program, safely: a Python policy inside, the kernel's confinement around it."""

from runner.sandbox.importable import IMPORTABLE, is_importable
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
from runner.sandbox.status import ConfinementStatus, confinement_status
from runner.sandbox.version import RUNTIME_VERSION

__all__ = [
    "IMPORTABLE",
    "RUNTIME_VERSION",
    "Cancelled",
    "Case",
    "Complaint",
    "ConfinementStatus",
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
    "is_importable",
]
