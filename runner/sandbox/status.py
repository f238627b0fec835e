"""The state of the sandbox on this machine: its layers, its Python, and whether there is a better.

Both as text and as JSON.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import interpreters
from runner.sandbox.interpreter import INTERPRETER, MAKE_ENVIRONMENT, SETTING
from runner.sandbox.interpreter_faults import open_faults
from runner.sandbox.jail.confinement import Layers
from runner.sandbox.programs import SandboxUnavailable
from runner.sandbox.supervisor.launcher import launch
from runner.sandbox.supervisor.layers import LAYERS, Layer
from runner.sandbox.supervisor.remedies import find_remedies


@dataclass(frozen=True, slots=True)
class Status:
    """The layers, or the reason why no programs can be run; and better Pythons, best first."""

    layers: Layers | None
    reason: str
    better: Sequence[interpreters.Interpreter]

    def lines(self) -> list[str]:
        """Return everything as lines of text."""
        if self.layers is None:
            return [f"unavailable: {self.reason}", *_interpreter_lines(self.better)]
        found = self.layers
        return [
            f"available, started through: {found.launcher}",
            f"tried: {found.attempts} attempts to get out were stopped, in {found.trial_ms:g} ms",
            *(line for layer in LAYERS for line in _lines_of(layer, found)),
            f"addresses: {'fixed' if found.fixed_addresses else 'randomised'}",
            *(f"refused: {reason}" for reason in found.refused),
            *_interpreter_lines(self.better),
        ]

    def as_json(self) -> dict[str, Any]:
        """Return everything as an object for JSON."""
        found = self.layers
        return {
            "available": found is not None,
            "reason": self.reason,
            "launcher": found and found.launcher,
            "refused": list(found.refused) if found else [],
            "attempts": found and found.attempts,
            "trial_ms": found and found.trial_ms,
            "fixed_addresses": found and found.fixed_addresses,
            "layers": [_json_of(layer, found) for layer in LAYERS] if found else [],
            "interpreter": {
                "path": INTERPRETER.executable,
                "version": INTERPRETER.number,
                "runtime": INTERPRETER.runtime,
                "faults": [fault._asdict() for fault in open_faults(INTERPRETER.version)],
                "better": [{"path": one.path, "version": str(one)} for one in self.better],
            },
        }


def inspect() -> Status:
    """Start a zygote for inspection, and look for better Pythons."""
    better = find_better()
    try:
        zygote = launch()
    except SandboxUnavailable as unavailable:
        return Status(None, str(unavailable), better)
    zygote.close()
    return Status(zygote.layers, "", better)


def find_better() -> list[interpreters.Interpreter]:
    """Return this machine's supported Pythons with fewer known faults, the best first.

    Starts all that are found, each for some hundredths of a second, unless none could be better.
    """
    faults = len(open_faults(INTERPRETER.version))
    found = interpreters.find() if faults else []
    # The newest of equals comes first, and sorting keeps that.
    ranked = sorted(found, key=lambda one: len(open_faults(one.version)))
    return [one for one in ranked if len(open_faults(one.version)) < faults]


def summarise_interpreter(better: Sequence[interpreters.Interpreter]) -> str:
    """Return in one line which Python runs programs, its known faults, and which is better."""
    faults = open_faults(INTERPRETER.version)
    if not faults:
        return f"programs run on {INTERPRETER}, without known faults"
    reports = ", ".join(fault.report for fault in faults)
    return f"programs run on {INTERPRETER}, known faults: {reports}; {_about(better)}"


def _interpreter_lines(better: Sequence[interpreters.Interpreter]) -> list[str]:
    whose = f"set by {SETTING}" if os.environ.get(SETTING) else "the site's"
    faults = open_faults(INTERPRETER.version)
    return [
        f"programs run on {INTERPRETER} ({whose}): {INTERPRETER.executable}",
        *(f"known fault: {fault.what} ({fault.report})" for fault in faults),
        _about(better) if faults else "known faults: none",
    ]


def _about(better: Sequence[interpreters.Interpreter]) -> str:
    if not better:
        return "no better one is on this machine"
    best = better[0]
    return (
        f"better is CPython {best}, with {len(open_faults(best.version))} of them; to use it:"
        f" {MAKE_ENVIRONMENT.format(best.path)}, and for all processes"
        f" {SETTING}=.venv-sandbox/bin/python"
    )


def _lines_of(layer: Layer, found: Layers) -> list[str]:
    if layer.holds(found):
        return [f"holds: {layer.name}, against {layer.keeps_away} (tried: {_tried(layer)})"]
    return [
        f"lost: {layer.name}: {layer.without}",
        *(f"  to get it: {remedy}" for remedy in find_remedies(layer.name)),
    ]


def _tried(layer: Layer) -> str:
    return ", ".join(layer.trials) or "by looking at it"


def _json_of(layer: Layer, found: Layers) -> dict[str, Any]:
    holds = layer.holds(found)
    return {
        "name": layer.name,
        "holds": holds,
        "keeps_away": layer.keeps_away,
        "tried": list(layer.trials) if holds else [],
        "without": layer.without,
        "remedies": [] if holds else find_remedies(layer.name),
    }
